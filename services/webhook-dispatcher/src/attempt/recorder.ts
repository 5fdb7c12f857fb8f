import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import { backoff, Batcher, retryUntil } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { ClaimedDelivery, ClaimOwner } from '../store/deliveries.ts'
import { renewClaims } from '../store/delivery-claims.ts'
import { beginAttempts, type DeliveryResult, recordResults } from '../store/delivery-state.ts'
import { RecordError } from './outcome.ts'

type Countable = Pick<ClaimedDelivery, 'id' | 'attempts'>

const retryDelayMs = backoff({ baseMs: 100, maxMs: 2_000 })
/** Maximum webhook deliveries whose attempts or results one statement commits. */
const maxItems = 100
/**
 * Time for which the result of a webhook delivery attempt waits for other results, so that one
 * statement records all. The next delivery to the same target does not wait for the recording.
 */
const resultLingerMs = 10
/**
 * Maximum claims of webhook deliveries that one statement renews. Statements that count an attempt
 * or record a result wait for the renewal of the claim.
 */
const renewBatch = 250

/**
 * Repeats work that fails only while Postgres or auth-bridge is unavailable. Logs at debug level:
 * the periodic tasks of the service report the outage. Rejects when the signal aborts.
 */
export function untilAvailable<T>(
  work: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<T> {
  const onRetry = (error: unknown) =>
    log.debug({ reason: messageOf(error) }, 'dependency unavailable, will retry')
  return retryUntil(work, { delayMs: retryDelayMs, signal, onRetry })
}

export interface RecorderDeps {
  db: Db
  owner: ClaimOwner
  log: Logger
}

/**
 * Commits the counts and results of webhook delivery attempts, many in one statement.
 *
 * The column `deliveries.attempts` is a write-ahead intent record: an attempt is counted and
 * committed before its call. After a crash the count includes the interrupted attempt. The record
 * says that a call may have been made, not that the call was made: receivers deduplicate.
 *
 * First attempts may be pre-counted, so that calls of a webhook target do not wait for a commit
 * each. A crash then costs a delivery that was not called at most one attempt, since only first
 * attempts are pre-counted. A pre-count expires before the lease with which it was committed. A
 * process that was suspended longer counts again, which shows whether the process still holds the
 * delivery.
 */
export class AttemptRecorder {
  /** Interval in which the claims of this process's webhook deliveries must be renewed. */
  readonly renewEveryMs: number
  readonly #deps: RecorderDeps
  readonly #stop = new AbortController()
  /**
   * Expiry times of webhook delivery attempts that were counted in advance and not begun, by
   * delivery.
   */
  readonly #precounted = new Map<string, number>()
  /**
   * Running statements that count webhook delivery attempts in advance, by lane (queue of one
   * target address).
   */
  readonly #running = new Map<string, { ids: ReadonlySet<string>; done: Promise<void> }>()
  readonly #counts: Batcher<Countable, number | undefined>
  readonly #results: Batcher<DeliveryResult, undefined>

  constructor(deps: RecorderDeps) {
    const { db, owner, log } = deps
    this.#deps = deps
    this.renewEveryMs = owner.leaseMs / 3
    this.#counts = new Batcher({
      maxItems,
      async run(deliveries) {
        const begun = await beginAttempts(db, deliveries, { id: owner.id, minLeaseMs: 0 })
        return deliveries.map(({ id }) => begun.get(id))
      },
    })
    this.#results = new Batcher({
      maxItems,
      lingerMs: resultLingerMs,
      run: async (results) => {
        const { signal } = this.#stop
        await untilAvailable(() => recordResults(db, results, owner.id), { signal, log })
        return results.map(() => undefined)
      },
    })
  }

  /**
   * Counts and commits the next attempt of a webhook delivery, and returns the number of the
   * attempt. Undefined if another process holds the delivery. Rejects when the signal aborts.
   */
  async begin(delivery: Countable, signal: AbortSignal): Promise<number | undefined> {
    const { id, attempts } = delivery
    await this.#precounting(id)
    const validUntil = this.#precounted.get(id)
    if (validUntil !== undefined && validUntil > performance.now()) {
      this.#precounted.delete(id)
      return attempts + 1
    }
    const { log } = this.#deps
    const counted = await untilAvailable(() => this.#counts.add(delivery), { signal, log })
    this.#precounted.delete(id)
    return counted
  }

  /**
   * True while a statement counts webhook delivery attempts of the lane (queue of one target
   * address) in advance. At most one such statement per lane runs.
   */
  isPrecounting(lane: string): boolean {
    return this.#running.has(lane)
  }

  /**
   * Counts in advance the first attempts of webhook deliveries that start soon, if at least half of
   * these attempts are not counted yet.
   */
  precount(lane: string, upcoming: readonly Countable[]): void {
    const wanted = upcoming.filter(
      ({ id, attempts }) => attempts === 0 && !this.#precounted.has(id),
    )
    if (wanted.length === 0 || wanted.length < upcoming.length / 2) return
    const ids = new Set(wanted.map(({ id }) => id))
    this.#running.set(lane, { ids, done: this.#runPrecount(lane, wanted) })
  }

  /**
   * Drops from memory the attempt of a webhook delivery that was counted in advance. Returns true
   * if an attempt was counted and not begun.
   */
  async cancelPrecount(id: string): Promise<boolean> {
    await this.#precounting(id)
    return this.#precounted.delete(id)
  }

  /**
   * Commits the result of a webhook delivery attempt. Repeats the statement while Postgres is
   * unavailable.
   * @throws RecordError if the result was not committed before `stop`
   */
  async record(result: DeliveryResult): Promise<void> {
    try {
      await this.#results.add(result)
    } catch (cause) {
      throw new RecordError('The result of the attempt was not recorded', { cause })
    }
  }

  /** Renews the claims of webhook deliveries of this process, by the duration of the lease. */
  async renew(ids: readonly string[]): Promise<void> {
    const { db, owner } = this.#deps
    for (let start = 0; start < ids.length; start += renewBatch)
      await renewClaims(db, ids.slice(start, start + renewBatch), owner)
  }

  /** Ends the repeated tries to commit results of webhook delivery attempts. */
  stop(): void {
    this.#stop.abort()
  }

  /** Resolves when no running statement counts webhook delivery attempts in advance. */
  async drainPrecounts(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #runPrecount(lane: string, deliveries: readonly Countable[]): Promise<void> {
    const { db, owner, log } = this.#deps
    const minLeaseMs = this.renewEveryMs
    const validUntil = performance.now() + minLeaseMs
    try {
      const counted = await beginAttempts(db, deliveries, { id: owner.id, minLeaseMs })
      for (const id of counted.keys()) this.#precounted.set(id, validUntil)
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'pre-count failed')
    } finally {
      this.#running.delete(lane)
    }
  }

  async #precounting(id: string): Promise<void> {
    for (const { ids, done } of this.#running.values()) if (ids.has(id)) await done
  }
}
