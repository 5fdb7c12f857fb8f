import type { Socket } from 'node:net'
import type { UpstreamIntake } from './upstream-intake.ts'

/** Counts bytes passed on. */
export interface ByteCounter {
  inc(count: number): void
}

export interface RelayOptions {
  client: Socket
  upstream: Socket
  /** What the upstream socket reads by, if not by itself. */
  intake?: UpstreamIntake
  bytes: { in: ByteCounter; out: ByteCounter }
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
 * answers to it come back. There is no limit to silence: IDLE lasts as long as both sides like, and TCP finds out who has vanished.
 */
export class Relay {
  /** Called once both sides are closed. */
  onClose: (() => void) | undefined
  readonly #client: Socket
  readonly #upstream: Socket
  #open = 2
  #answeredAt = 0
  #answerComplete = true

  constructor({ client, upstream, intake, bytes }: RelayOptions) {
    this.#client = client
    this.#upstream = upstream
    pass(client, upstream, (chunk) => bytes.in.inc(chunk.length))
    const answered = (chunk: Buffer) => {
      bytes.out.inc(chunk.length)
      this.#answeredAt = Date.now()
      this.#answerComplete = chunk.at(-1) === 0x0a
    }
    pass(upstream, client, answered)
    intake?.passTo(client, answered)
    whenEnded(upstream, () => this.#finish(client))
    whenEnded(client, () => this.#endUpstreamWhenQuiet())
    whenClosed(client, () => this.#closed(upstream))
    whenClosed(upstream, () => this.#closed(client))
  }

  /** Closes both sides; says goodbye where it can be told to the client. */
  end(reason: string): void {
    // A line written into the middle of a literal would become part of a message: then the cut alone has to tell.
    const safe = this.#answerComplete && this.#quiet()
    this.#client.end(safe ? `* BYE ${reason}\r\n` : '')
    this.#upstream.destroy()
    setTimeout(() => this.#client.destroy(), quietMs).unref()
  }

  #quiet(): boolean {
    return Date.now() - this.#answeredAt >= quietMs && this.#client.writableLength === 0
  }

  /** Servers (Dovecot 2.3) drop what they have not answered yet when they are told of the end. */
  #endUpstreamWhenQuiet(): void {
    const endedAt = Date.now()
    this.#answeredAt = endedAt
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

  /** When a side is gone, the other gets what was said, and goes too. */
  #closed(other: Socket): void {
    other.destroySoon()
    this.#open -= 1
    if (this.#open === 0) this.onClose?.()
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

/** It may be gone already; nobody is told before the relay stands. */
function whenClosed(side: Socket, then: () => void): void {
  if (side.closed) setImmediate(then)
  else side.once('close', then)
}
