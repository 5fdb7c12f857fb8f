import { Readable } from 'node:stream'
import type { Submission } from '../../store/submission.ts'
import {
  AttemptError,
  cancelled,
  SendError,
  type SendOptions,
  withUnknownOutcome,
} from '../transport.ts'
import type { Destination } from './destination.ts'
import { toAttemptError } from './nodemailer.ts'

/**
 * Message to be sent in one SMTP transaction, with its destination and the callbacks of the
 * attempt.
 */
export type OutgoingMessage = Pick<Submission, 'envelope' | 'mime' | 'dsn'> &
  Pick<SendOptions, 'signal' | 'commitIntent' | 'onReply'> & { destination: Destination }

/**
 * Progress of an SMTP transaction. The server may have accepted the message only from `handover`
 * (sending the end of data) on.
 */
type Stage = 'envelope' | 'data' | 'handover'

const chunkBytes = 64 * 1024

/**
 * Content of one message for SMTP DATA, with the progress of the transmission. nodemailer starts
 * reading after the 354 reply to DATA and sends the end of data when the stream ends. The stream
 * ends only after `commitIntent` has resolved, so the intent record (`data_sent_at`) is committed
 * before the end of data.
 */
export class HandoverStream {
  readonly bytes: Readable
  /** Resolves when the mail server requests the content (reply 354 to DATA). */
  readonly atData: Promise<void>
  readonly #message: OutgoingMessage
  readonly #reachData: () => void
  #stage: Stage = 'envelope'
  readonly #accepted: () => readonly string[]
  #commitFailure: { reason: unknown } | undefined

  /** `accepted` returns the recipients that the mail server has accepted so far. */
  constructor(message: OutgoingMessage, accepted: () => readonly string[]) {
    this.#message = message
    this.#accepted = accepted
    const { promise, resolve } = Promise.withResolvers<void>()
    this.atData = promise
    this.#reachData = resolve
    this.bytes = Readable.from(this.#read(), { objectMode: false })
  }

  get stage(): Stage {
    return this.#stage
  }

  /**
   * Throws if a reply of the mail server precedes the end of data: such a reply cannot be about
   * this message.
   */
  assertComplete(): void {
    if (this.#stage === 'handover') return
    const message = 'The server answered before the message was complete'
    throw new AttemptError({ message, code: 'EUNEXPECTED', command: 'DATA' })
  }

  /**
   * Converts an error of an SMTP transaction into the failure of the sending attempt. Without a
   * reply after the end of data, the outcome is unknown.
   */
  toStageError(error: unknown): unknown {
    if (this.#commitFailure) return this.#commitFailure.reason
    const { signal } = this.#message
    if (signal.aborted && this.#stage !== 'handover') return cancelled(signal)
    const failed = toAttemptError(error, this.#stage === 'envelope' ? 'MAIL FROM' : 'DATA')
    const { outcome } = failed
    const isAnswered = this.#stage !== 'handover' || outcome.failure.responseCode !== undefined
    return isAnswered ? failed : new SendError(withUnknownOutcome(outcome), { cause: failed })
  }

  async *#read() {
    const { mime, signal, commitIntent } = this.#message
    this.#stage = 'data'
    this.#reachData()
    for (let at = 0; at < mime.length; at += chunkBytes) yield mime.subarray(at, at + chunkBytes)
    try {
      if (signal.aborted) throw cancelled(signal)
      await commitIntent(this.#accepted())
    } catch (reason) {
      this.#commitFailure = { reason }
      // Throws a new error object, because streams add properties to the error that destroys them.
      throw new Error('handover not committed', { cause: reason })
    }
    this.#stage = 'handover'
  }
}
