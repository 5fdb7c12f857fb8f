import { Readable } from 'node:stream'
import { toAttemptError } from './nodemailer.ts'
import { AttemptError, cancelled, type OutgoingMessage } from './transport.ts'

/** Progress of a message. Only from `handover` on may the server have accepted it. */
type Stage = 'envelope' | 'data' | 'handover'

const chunkBytes = 64 * 1024

/**
 * Content of one message, with the progress of its transmission. nodemailer starts reading after
 * the 354 reply to DATA and sends the end of data when the stream ends. The stream ends only after
 * `commitHandover` has resolved, so the intent record precedes the end of data.
 */
export class HandoverStream {
  readonly bytes: Readable
  /** Resolves when the server requests the content (reply 354). */
  readonly atData: Promise<void>
  readonly #message: OutgoingMessage
  readonly #reachData: () => void
  #stage: Stage = 'envelope'
  #commitFailure: { reason: unknown } | undefined

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

  /** Throws if the reply precedes the end of data: it cannot be about this message. */
  assertComplete(): void {
    if (this.#stage === 'handover') return
    const message = 'The server answered before the message was complete'
    throw new AttemptError({ message, code: 'EUNEXPECTED', command: 'DATA' })
  }

  /** Converts an error of the transmission into the stage error it stands for. */
  toStageError(error: unknown): unknown {
    if (this.#commitFailure) return this.#commitFailure.reason
    const { signal } = this.#message
    if (signal.aborted && this.#stage !== 'handover') return cancelled(signal)
    const failed = toAttemptError(error, this.#stage === 'envelope' ? 'MAIL FROM' : 'DATA')
    failed.inDoubt = this.#stage === 'handover' && failed.failure.responseCode === undefined
    return failed
  }

  async *#read() {
    const { mime, signal, commitHandover } = this.#message
    this.#stage = 'data'
    this.#reachData()
    for (let at = 0; at < mime.length; at += chunkBytes) yield mime.subarray(at, at + chunkBytes)
    try {
      if (signal.aborted) throw cancelled(signal)
      await commitHandover()
    } catch (reason) {
      this.#commitFailure = { reason }
      // A new error, because streams add properties to the error that destroys them.
      throw new Error('handover not committed', { cause: reason })
    }
    this.#stage = 'handover'
  }
}
