import type { Readable } from 'node:stream'

/**
 * Error listener of sockets, which ignores errors. The event `close` follows every error, and
 * callers wait for `close`; without a listener the error would end the process.
 */
export function ignoreErrors(): void {}

const events = ['readable', 'end', 'close', 'error'] as const

/**
 * Returns the next bytes of a socket, or undefined after its end. Reads on request only, so unread
 * bytes stay in the socket's bounded buffer and slow down the sender of the bytes.
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
