import { Readable } from 'node:stream'
import { toAttemptError } from './nodemailer.ts'
import {
  AttemptError,
  cancelled,
  type OutgoingMessage,
  PreAttemptError,
  RecordError,
} from './transport.ts'

interface PendingIntent {
  done: Promise<void>
  startedAt: number
}

/**
 * Intent log of one handover, a write-ahead record. `data_sent_at` is committed when only the end
 * of data is missing. After a crash, the record tells whether the server may have accepted the
 * message.
 */
export class HandoverIntent {
  readonly #writeIntent: (recipients: readonly string[]) => Promise<boolean>
  /**
   * Maximum age of an intent record, which also renews the lease. An older record is written again
   * before the end of data.
   */
  readonly #maxAgeMs: number
  #pending: PendingIntent | undefined

  /** `writeIntent` commits the intent record. Resolves to false if the lease was lost. */
  constructor(writeIntent: (recipients: readonly string[]) => Promise<boolean>, leaseMs: number) {
    this.#writeIntent = writeIntent
    this.#maxAgeMs = leaseMs / 10
  }

  /**
   * Writes the record, with the recipients that the server has accepted. Resolves when the record
   * is committed: the end of data may then be sent.
   *
   * @throws PreAttemptError if Postgres is unavailable; RecordError if the lease was lost
   */
  async commit(recipients: readonly string[]): Promise<void> {
    this.#pending = this.#start(recipients)
    await this.#pending.done
    // After a slow commit or in a process that was suspended, another sender may have claimed the
    // row since.
    if (performance.now() - this.#pending.startedAt < this.#maxAgeMs) return
    this.#pending = this.#start(recipients)
    await this.#pending.done
  }

  /** Resolves when no write is pending. */
  async settled(): Promise<void> {
    await this.#pending?.done.catch(() => undefined)
  }

  #start(recipients: readonly string[]): PendingIntent {
    return { done: this.#write(recipients), startedAt: performance.now() }
  }

  async #write(recipients: readonly string[]): Promise<void> {
    const isWritten = await this.#writeIntent(recipients).catch((cause: unknown) => {
      throw new PreAttemptError('intent record not written', { cause })
    })
    if (!isWritten) throw new RecordError('outbox lease lost')
  }
}

/** Progress of a message. The server may have accepted the message only from `handover` on. */
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
  readonly #accepted: () => readonly string[]
  #commitFailure: { reason: unknown } | undefined

  /** `accepted` returns the recipients that the server has accepted. */
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

  /** Throws if a reply precedes the end of data: such a reply cannot be about this message. */
  assertComplete(): void {
    if (this.#stage === 'handover') return
    const message = 'The server answered before the message was complete'
    throw new AttemptError({ message, code: 'EUNEXPECTED', command: 'DATA' })
  }

  /** Converts an error of the transmission into a stage error. */
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
      await commitHandover(this.#accepted())
    } catch (reason) {
      this.#commitFailure = { reason }
      // A new error, because streams add properties to the error that destroys them.
      throw new Error('handover not committed', { cause: reason })
    }
    this.#stage = 'handover'
  }
}
