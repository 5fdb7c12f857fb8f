import type { OutboxLease } from '../store/submission.ts'
import { PreAttemptError, RecordError } from '../transports/transport.ts'

/** Commits the intent record of a row. Resolves to false if its lease was lost. */
export type WriteIntent = (lease: OutboxLease) => Promise<boolean>

interface PendingIntent {
  done: Promise<void>
  startedAt: number
}

/**
 * Intent log of one handover, a write-ahead record: `data_sent_at` is committed before the end of
 * data. After a crash it tells messages that may have been accepted from those that were not.
 * The write may start early, while the server still answers the envelope.
 */
export class HandoverIntent {
  readonly #writeIntent: WriteIntent
  readonly #lease: OutboxLease
  /** The record also renews the lease. An older one is written again before the end of data. */
  readonly #maxAgeMs: number
  #pending: PendingIntent | undefined

  constructor(
    writeIntent: WriteIntent,
    { queueId, worker, attempt }: OutboxLease,
    leaseMs: number,
  ) {
    this.#writeIntent = writeIntent
    this.#maxAgeMs = leaseMs / 10
    this.#lease = { queueId, worker, attempt }
  }

  /** Starts writing the record. */
  prepare(): void {
    this.#pending ??= this.#start()
  }

  /**
   * Resolves when the record is committed: the end of data may be sent.
   *
   * @throws PreAttemptError if Postgres is unavailable; RecordError if the lease was lost
   */
  async commit(): Promise<void> {
    this.prepare()
    await this.#pending?.done
    // A slow server or a paused process: another sender may have claimed the row since.
    if (this.#isFresh()) return
    this.#pending = this.#start()
    await this.#pending.done
  }

  /** Resolves when no write is pending. */
  async settled(): Promise<void> {
    await this.#pending?.done.catch(() => undefined)
  }

  #isFresh(): boolean {
    const { startedAt = -Infinity } = this.#pending ?? {}
    return performance.now() - startedAt < this.#maxAgeMs
  }

  #start(): PendingIntent {
    const done = this.#write()
    // Awaited in `commit`, which a cancelled attempt never calls.
    done.catch(() => undefined)
    return { done, startedAt: performance.now() }
  }

  async #write(): Promise<void> {
    const isWritten = await this.#writeIntent(this.#lease).catch((cause: unknown) => {
      throw new PreAttemptError('intent record not written', { cause })
    })
    if (!isWritten) throw new RecordError('outbox lease lost')
  }
}
