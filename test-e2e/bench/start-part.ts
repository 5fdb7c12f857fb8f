import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Server or client of a benchmark in its own process. Disposal ends the process. */
export interface Part extends AsyncDisposable {
  port: number
  pid: number
  send(message: object): void
  /**
   * Sends a request to the process of the server or client. Resolves with the reply of the process.
   */
  request<Reply>(message: object): Promise<Reply>
}

/**
 * Starts a server or client of a benchmark as a process, with additional environment variables. The
 * process sends its port when it is ready, or 0 if it does not listen.
 */
export async function startPart(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Part> {
  const child = fork(join(import.meta.dirname, file), args, { env: { ...process.env, ...env } })
  const next = async <Message>() => ((await once(child, 'message')) as [Message])[0]
  const { port } = await next<{ port: number }>()
  return {
    port,
    pid: child.pid ?? 0,
    send: (message) => void child.send(message),
    request<Reply>(message: object) {
      const reply = next<Reply>()
      child.send(message)
      return reply
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
