import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A server or clients of a benchmark in a process of their own. It sends its port when it is ready, and ends when it is let go. */
export async function startPart(file: string, args: readonly string[] = []) {
  const child = fork(join(import.meta.dirname, file), args)
  const [started] = (await once(child, 'message')) as [{ port: number }]
  return {
    port: started.port,
    pid: child.pid ?? 0,
    /** Sends it a question; resolves when it has answered anything. */
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
