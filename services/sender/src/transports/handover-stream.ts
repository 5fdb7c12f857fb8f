import { Readable } from 'node:stream'
import { AttemptError, PreAttemptError } from './stage-errors.ts'
import { toDeliveryError } from './smtp-replies.ts'
import type { OutgoingMessage } from './transport.ts'

/** Where a message is while it is being sent. Only from `handover` on may the server have it. */
type Stage = 'envelope' | 'data' | 'handover'

/** Bytes that are handed on at a time. */
const chunkBytes = 64 * 1024

/**
 * The bytes of one message on their way into a session, and how far they have come. The stream is first read once the server has
 * answered DATA with 354, and its end is what makes the final dot be written: between the two stands `beforeHandover`.
 */
export class HandoverStream {
  readonly bytes: Readable
  /** Resolves when the server wants the message. */
  readonly atData: Promise<void>
  readonly #message: OutgoingMessage
  readonly #reachData: () => void
  #stage: Stage = 'envelope'
  #refusal: { reason: unknown } | undefined

  constructor(message: OutgoingMessage) {
    this.#message = message
    const { promise, resolve } = Promise.withResolvers<void>()
    this.atData = promise
    this.#reachData = resolve
    this.bytes = Readable.from(this.#read(), { objectMode: false })
  }

  get stage(): Stage {
    return this.#stage
  }

  /** An answer to what was not said yet is not about this message, whatever it says. */
  assertDone(): void {
    if (this.#stage === 'handover') return
    const message = 'The server answered before the message was complete'
    throw new AttemptError({ message, code: 'EUNEXPECTED', command: 'DATA' })
  }

  /** Why the attempt ended, as the caller should hear it. */
  explain(error: unknown): unknown {
    if (this.#refusal) return this.#refusal.reason
    const { signal } = this.#message
    if (signal.aborted && this.#stage !== 'handover')
      return new PreAttemptError('called off', { cause: signal.reason })
    const told = toDeliveryError(error, this.#stage === 'envelope' ? 'MAIL FROM' : 'DATA')
    told.inDoubt = this.#stage === 'handover' && told.failure.responseCode === undefined
    return told
  }

  async *#read() {
    const { mime, signal, commitHandover: beforeHandover } = this.#message
    this.#stage = 'data'
    this.#reachData()
    for (let at = 0; at < mime.length; at += chunkBytes) yield mime.subarray(at, at + chunkBytes)
    try {
      if (signal.aborted) throw new PreAttemptError('called off', { cause: signal.reason })
      await beforeHandover()
    } catch (reason) {
      this.#refusal = { reason }
      // Not the reason itself: who destroys a stream with an error writes on it.
      throw new Error('not handed over', { cause: reason })
    }
    this.#stage = 'handover'
  }
}
