import type { Socket } from 'node:net'

export interface RelayOptions {
  client: Socket
  upstream: Socket
  /** Told of every byte passed on. */
  count: (direction: 'in' | 'out', bytes: number) => void
}

/** Silence of the server after which it may be taken to have answered everything. */
const quietMs = 1_000
/** How long one side may go on after the other has ended. */
const lingerMs = 60_000
/** How long a client that has ended its side may go on reading answers. */
const lastAnswersMs = 10 * 60_000

/**
 * Passes bytes both ways without looking at them: whatever is negotiated after the login, COMPRESS included, is between client and
 * server. A side that does not read holds the other one back. When one side ends, what it said still reaches the other, and the
 * answers to it come back.
 */
export class Relay {
  /** Resolves when both sides are closed. */
  readonly done: Promise<void>
  readonly #client: Socket
  readonly #upstream: Socket
  #lastAnswer = { at: 0, complete: true }

  constructor({ client, upstream, count }: RelayOptions) {
    this.#client = client
    this.#upstream = upstream
    pass(client, upstream, (chunk) => count('in', chunk.length))
    pass(upstream, client, (chunk) => {
      count('out', chunk.length)
      this.#lastAnswer = { at: Date.now(), complete: chunk.at(-1) === 0x0a }
    })
    whenEnded(upstream, () => this.#finish(client))
    whenEnded(client, () => this.#endUpstreamWhenQuiet())
    this.done = Promise.all([closing(client, upstream), closing(upstream, client)]).then(
      () => undefined,
    )
  }

  /** Closes both sides; says goodbye where it can be told to the client. */
  end(reason: string): void {
    // A line written into the middle of a literal would become part of a message: then the cut alone has to tell.
    const safe = this.#lastAnswer.complete && this.#quiet()
    this.#client.end(safe ? `* BYE ${reason}\r\n` : '')
    this.#upstream.destroy()
    setTimeout(() => this.#client.destroy(), quietMs).unref()
  }

  #quiet(): boolean {
    return Date.now() - this.#lastAnswer.at >= quietMs && this.#client.writableLength === 0
  }

  /** Servers (Dovecot 2.3) drop what they have not answered yet when they are told of the end. */
  #endUpstreamWhenQuiet(): void {
    const endedAt = Date.now()
    this.#lastAnswer.at = endedAt
    const timer = setInterval(() => {
      const waiting = !this.#quiet() && Date.now() - endedAt < lastAnswersMs
      if (waiting && !this.#upstream.destroyed) return
      clearInterval(timer)
      this.#finish(this.#upstream)
    }, quietMs / 4)
  }

  #finish(side: Socket): void {
    side.end()
    setTimeout(() => {
      this.#client.destroy()
      this.#upstream.destroy()
    }, lingerMs).unref()
  }
}

function pass(from: Socket, to: Socket, saw: (chunk: Buffer) => void): void {
  from.on('data', (chunk: Buffer) => {
    saw(chunk)
    if (!to.write(chunk)) from.pause()
  })
  to.on('drain', () => from.resume())
}

/** It may have said its last word while nobody listened. */
function whenEnded(side: Socket, then: () => void): void {
  if (side.readableEnded) then()
  else side.once('end', then)
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
