import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Delay after the start in which a service has connected, claimed its work and compiled its code.
 */
const settledAfterMs = 5_000
/** Utilization of the event loop, 0 to 1, below which a service is idle. */
const idleBelow = 0.2

/**
 * Collects the garbage of a service's start once and returns the memory to the system: 10 to 70 MB
 * in each service. Without this collection, an idle service keeps the memory. The collection blocks
 * for 20 to 400 ms, therefore it waits for 5 s in which the service was idle.
 */
export function releaseStartMemory(
  measureUtilization: () => number = measureUtilizationSinceLast(),
): void {
  const timer = setInterval(() => {
    if (measureUtilization() >= idleBelow) return
    clearInterval(timer)
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as (options: object) => void
    setFlagsFromString('--no-expose-gc')
    // The garbage collection `last-resort` also compacts the heap and drops code that was used
    // once.
    collectGarbage({ execution: 'sync', type: 'major', flavor: 'last-resort' })
  }, settledAfterMs).unref()
}

/** Returns a function that measures the event loop's utilization since its last call. */
function measureUtilizationSinceLast(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    return utilization
  }
}
