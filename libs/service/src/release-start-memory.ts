import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Delay after the start of a service until garbage is collected: by then, the service has connected
 * to its servers, claimed its work and compiled its code.
 */
const settledAfterMs = 5_000

/**
 * Runs the garbage collector once, 5 s after the start of a service. The collection returns 10 to
 * 50 MB to the operating system, which the start needed and an idle service would keep, and blocks
 * the process for 20 to 60 ms.
 */
export function releaseStartMemory(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as (options: object) => void
    setFlagsFromString('--no-expose-gc')
    // With the garbage collector's option `last-resort`, V8 also compacts the heap and discards
    // code that was executed only once.
    collectGarbage({ execution: 'sync', type: 'major', flavor: 'last-resort' })
  }, settledAfterMs).unref()
}
