import type { Db } from '@posthorn/db'
import { type Backoff, backoff, retryUntil, settleWithin, TaskGroup } from '@posthorn/flow'
import type { Logger, Metrics } from '@posthorn/telemetry'
import { insertAuditRow, type NewAuditRow } from '../store/audit.ts'

export interface OutcomeRowsOptions {
  log: Pick<Logger, 'warn' | 'error'>
  /** Metrics with the counter of lost outcome rows. Absent in jobs, which have no metrics. */
  metrics?: Pick<Metrics, 'counter'>
  /** Delays between the attempts to insert an outcome row of the audit log. */
  delayMs?: Backoff | number
}

/**
 * Maximum attempts to insert an outcome row of the audit log: about ten minutes with the default
 * delays.
 */
const maxAttempts = 25
const defaultDelayMs = backoff({ baseMs: 250, maxMs: 30_000, jitter: 0.2 })
/**
 * Maximum outcome rows of the audit log that wait for Postgres. Without Postgres no new change
 * starts, so only calls in flight at the start of an outage wait.
 */
const maxWaiting = 10_000
/**
 * Time in milliseconds that a shutdown waits for outcome rows of the audit log. The whole shutdown
 * has 10 s.
 */
const drainMs = 3_000

/**
 * Inserts the outcome rows of the audit log. If the insert fails, it is repeated in the background.
 * After the last attempt, the row is logged and counted as lost.
 */
export class OutcomeRows implements AsyncDisposable {
  readonly #db: Db
  readonly #log: OutcomeRowsOptions['log']
  readonly #delayMs: Backoff | number
  readonly #countLost: () => void
  readonly #waiting = new TaskGroup()
  readonly #stop = new AbortController()

  constructor(db: Db, { log, metrics, delayMs = defaultDelayMs }: OutcomeRowsOptions) {
    this.#db = db
    this.#log = log
    this.#delayMs = delayMs
    const lost = metrics?.counter({
      name: 'admin_audit_lost_total',
      help: 'Outcomes that are missing in the audit log, because no insert has succeeded',
    })
    this.#countLost = () => lost?.inc()
  }

  /** Inserts an outcome row into the audit log, now or in the background. Never rejects. */
  async insert(row: NewAuditRow): Promise<void> {
    try {
      await insertAuditRow(this.#db, row)
    } catch (err) {
      this.#log.warn({ err, request: row.request }, 'audit outcome not recorded, retrying')
      this.#insertLater(row)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await settleWithin(this.#waiting.drain(), drainMs)
    this.#stop.abort()
    await this.#waiting.drain()
  }

  #insertLater(row: NewAuditRow): void {
    if (this.#waiting.size >= maxWaiting) return this.#lose(row)
    const { signal } = this.#stop
    const retries = { delayMs: this.#delayMs, maxAttempts, signal }
    const inserted = retryUntil(() => insertAuditRow(this.#db, row), retries)
    this.#waiting.run(inserted.catch((err: unknown) => this.#lose(row, err)))
  }

  #lose({ request, outcome }: NewAuditRow, err?: unknown): void {
    this.#countLost()
    this.#log.error({ err, request, outcome }, 'audit outcome is lost')
  }
}
