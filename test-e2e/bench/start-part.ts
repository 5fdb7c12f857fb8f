import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/**
 * A server or client of a benchmark in its own process. It sends its port when ready and ends when
 * disposed.
 */
export async function startPart(file: string, args: readonly string[] = []) {
  const child = fork(join(import.meta.dirname, file), args)
  const [started] = (await once(child, 'message')) as [{ port: number }]
  return {
    port: started.port,
    pid: child.pid ?? 0,
    /** Sends a request. Resolves with any reply. */
    async ask(question: object) {
      child.send(question)
      await once(child, 'message')
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
