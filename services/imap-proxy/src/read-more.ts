import type { Readable } from 'node:stream'

const events = ['readable', 'end', 'close', 'error'] as const

/**
 * The next bytes of a socket, or undefined once there will be none. Reads only when asked, so what nobody asks for stays in the
 * socket's own bounded buffer and holds the sender back.
 */
export async function readMore(socket: Readable): Promise<Buffer | undefined> {
  for (;;) {
    const chunk = socket.read() as Buffer | null
    if (chunk) return chunk
    if (socket.readableEnded || socket.destroyed || socket.errored) return undefined
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of events) socket.off(event, done)
        resolve()
      }
      for (const event of events) socket.on(event, done)
    })
  }
}
