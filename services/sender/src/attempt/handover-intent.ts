import { PreAttemptError, RecordError } from '../transports/transport.ts'

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
