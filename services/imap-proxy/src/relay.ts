import type { Socket } from 'node:net'

export interface RelayOptions {
  client: Socket
  upstream: Socket
  /** Told of every byte passed on. */
  count: (direction: 'in' | 'out', bytes: number) => void
}

export interface Relay {
  /** Resolves when both sides are closed. */
  readonly done: Promise<void>
  /** Closes both sides; says goodbye where it can be told to the client. */
  end(reason: string): void
}

/** Silence of the server after which we may be taken to stand between two of its answers. */
const quietMs = 1_000
/** How long one side may go on after the other has ended. */
const lingerMs = 60_000

/**
 * Passes bytes both ways without looking at them: whatever is negotiated after the login, COMPRESS included, is between client and
 * server. A side that does not read holds the other one back. When one side ends, what it said still reaches the other.
 */
export function startRelay({ client, upstream, count }: RelayOptions): Relay {
  let last: { at: number; complete: boolean } = { at: 0, complete: true }
  pass(client, upstream, (chunk) => count('in', chunk.length))
  pass(upstream, client, (chunk) => {
    count('out', chunk.length)
    last = { at: Date.now(), complete: chunk.at(-1) === 0x0a }
  })
  const done = Promise.all([closing(client, upstream), closing(upstream, client)]).then(
    () => undefined,
  )
  return {
    done,
    end(reason) {
      // A line written into the middle of a literal would become part of a message: then the cut alone has to tell.
      const safe = last.complete && Date.now() - last.at >= quietMs && client.writableLength === 0
      client.end(safe ? `* BYE ${reason}\r\n` : '')
      upstream.destroy()
      setTimeout(() => client.destroy(), quietMs).unref()
    },
  }
}

function pass(from: Socket, to: Socket, saw: (chunk: Buffer) => void): void {
  from.on('data', (chunk: Buffer) => {
    saw(chunk)
    if (!to.write(chunk)) from.pause()
  })
  to.on('drain', () => from.resume())
  from.on('end', () => {
    to.end()
    setTimeout(() => destroy(from, to), lingerMs).unref()
  })
}

/** When a side is gone, the other gets what was said, and goes too. */
function closing(side: Socket, other: Socket): Promise<void> {
  return new Promise((resolve) => {
    const closed = () => {
      other.destroySoon()
      resolve()
    }
    if (side.destroyed) closed()
    else side.once('close', closed)
  })
}

function destroy(...sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy()
}
