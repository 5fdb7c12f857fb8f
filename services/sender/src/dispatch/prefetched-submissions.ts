import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import {
  type DueSubmission,
  type OutboxLease,
  releaseUnstarted,
  type Submission,
} from '../store/outbox.ts'
import type { LaneLimiter } from './lane-limiter.ts'

export interface PrefetchDeps {
  db: Db
  lanes: LaneLimiter
  log: Logger
}

interface PrefetchedSubmission {
  submission: Submission
  place: DueSubmission
  since: number
}

/** What has waited longer is for whoever can send it sooner, another process perhaps. */
const maxWaitMs = 2_000

/**
 * Rows that are claimed and wait for a place in their lanes, longest first: the place that becomes free need not wait for Postgres. What
 * cannot start soon is given back as if it had not been claimed. If we die, the attempt that was counted is gone; only rows that were
 * never attempted wait here, so that this happens to a message once at most.
 */
export class PrefetchedSubmissions implements AsyncDisposable {
  readonly #deps: PrefetchDeps
  readonly #rows = new Map<string, PrefetchedSubmission>()
  readonly #releasing = new Set<Promise<void>>()

  constructor(deps: PrefetchDeps) {
    this.#deps = deps
  }

  get rows(): PrefetchedSubmission[] {
    return [...this.#rows.values()]
  }

  has(queueId: string): boolean {
    return this.#rows.has(queueId)
  }

  /** Its place among those that wait is taken already. */
  add(submission: Submission, place: DueSubmission): void {
    this.#rows.set(submission.queueId, { submission, place, since: performance.now() })
  }

  /** Whether rows wait for this place's lanes, and not so few that more should be claimed. */
  isEnoughFor({ account, gateway, host }: DueSubmission): boolean {
    for (const { place } of this.#rows.values())
      if (place.account === account && place.gateway === gateway && place.host === host)
        return !this.#deps.lanes.wantsMore(place)
    return false
  }

  /** Those for which there is a place now, which they have taken. */
  takeStartable(): PrefetchedSubmission[] {
    const { lanes } = this.#deps
    const startable: PrefetchedSubmission[] = []
    for (const row of this.#rows.values()) {
      if (lanes.capacity <= 0) break
      if (!lanes.tryAcquire(row.place)) continue
      this.#take(row)
      startable.push(row)
    }
    return startable
  }

  /** The row is another's. */
  drop({ queueId, attempt }: Pick<OutboxLease, 'queueId' | 'attempt'>): void {
    const row = this.#rows.get(queueId)
    if (row?.submission.attempt === attempt) this.#take(row)
  }

  release(which: (row: PrefetchedSubmission) => boolean = () => true): void {
    const rows = this.rows.filter(which)
    if (rows.length === 0) return
    for (const row of rows) this.#take(row)
    const releasing = this.#release(rows.map(({ submission }) => submission)).finally(() =>
      this.#releasing.delete(releasing),
    )
    this.#releasing.add(releasing)
  }

  releaseStale(): void {
    const { lanes } = this.#deps
    const now = performance.now()
    const isOld = ({ since }: PrefetchedSubmission) => now - since > maxWaitMs
    for (const row of this.rows) if (isOld(row)) lanes.slowDown(row.place)
    this.release(isOld)
  }

  /** A suspended lane is not waited for. */
  releaseSuspended(): void {
    const { lanes } = this.#deps
    this.release(({ place }) => lanes.isSuspended(place))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release()
    await Promise.all(this.#releasing)
  }

  #take(row: PrefetchedSubmission): void {
    this.#rows.delete(row.submission.queueId)
    this.#deps.lanes.releasePrefetch(row.place)
  }

  /** Tried a few times; if it cannot be written, the leases end by themselves. */
  async #release(holds: OutboxLease[]): Promise<void> {
    const { db, log } = this.#deps
    for (let left = 3; left > 0; left--) {
      try {
        return await releaseUnstarted(db, holds)
      } catch (err) {
        log.warn({ err, rows: holds.length }, 'claims could not be given back')
        if (left > 1) await delay(1_000)
      }
    }
  }
}
