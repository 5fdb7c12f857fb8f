import type { Db } from '@posthorn/db'
import { type Permit, retryUntil, TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { releaseUnstarted } from '../store/outbox.ts'
import type { OutboxLease, Submission } from '../store/submission.ts'
import type { LaneDemand, LaneLimiter, LanePermit } from './lane-limiter.ts'

export interface PrefetchDeps {
  db: Db
  lanes: LaneLimiter
  log: Logger
}

interface PrefetchedSubmission {
  submission: Submission
  demand: LaneDemand
  permit: Permit
  since: number
}

/**
 * Prefetched submission (claimed early) that can start, because its account, gateway and host have
 * capacity.
 */
export interface StartableSubmission {
  submission: Submission
  demand: LaneDemand
  permit: LanePermit
}

/**
 * Maximum time for which a submission stays prefetched (claimed by a sender, but not started).
 * After this time another sender may be able to send the submission sooner.
 */
const maxPrefetchMs = 2_000

/**
 * Claimed submissions that wait for capacity of their account, gateway or host, oldest first. A
 * prefetched submission starts without a round trip to Postgres. Submissions that cannot start soon
 * are released, and their attempts are not counted. If the process dies, each prefetched submission
 * loses one attempt. Only submissions without attempts are prefetched, so each submission loses at
 * most one attempt this way.
 */
export class PrefetchedSubmissions implements AsyncDisposable {
  readonly #deps: PrefetchDeps
  readonly #rows = new Map<string, PrefetchedSubmission>()
  readonly #releases = new TaskGroup()

  constructor(deps: PrefetchDeps) {
    this.#deps = deps
  }

  get submissions(): Submission[] {
    return Array.from(this.#rows.values(), ({ submission }) => submission)
  }

  has(queueId: string): boolean {
    return this.#rows.has(queueId)
  }

  add(submission: Submission, demand: LaneDemand, permit: Permit): void {
    const row = { submission, demand, permit, since: performance.now() }
    this.#rows.set(submission.queueId, row)
  }

  /**
   * True if enough submissions with the account, gateway and host of a submission are prefetched
   * (claimed before they can start).
   */
  hasStockFor({ account, gateway, host }: LaneDemand): boolean {
    for (const { demand } of this.#rows.values())
      if (demand.account === account && demand.gateway === gateway && demand.host === host)
        return !this.#deps.lanes.canPrefetch(demand)
    return false
  }

  /**
   * Removes and returns the prefetched submissions (claimed early) whose account, gateway and host
   * have capacity now.
   */
  takeStartable(): StartableSubmission[] {
    const { lanes } = this.#deps
    const startable: StartableSubmission[] = []
    for (const row of this.#rows.values()) {
      if (lanes.capacity <= 0) break
      const { submission, demand } = row
      const permit = lanes.tryAcquire(demand)
      if (!permit) continue
      this.#remove(row)
      startable.push({ submission, demand, permit })
    }
    return startable
  }

  /** Removes a prefetched submission (claimed early) whose outbox lease was lost. */
  drop({ queueId, attempt }: Pick<OutboxLease, 'queueId' | 'attempt'>): void {
    const row = this.#rows.get(queueId)
    if (row?.submission.attempt === attempt) this.#remove(row)
  }

  /**
   * Releases the claims of all prefetched submissions, which did not start yet, so that other
   * senders can claim them.
   */
  release(): void {
    this.#releaseIf(() => true)
  }

  /**
   * Releases prefetched submissions (claimed early) that wait too long, and stops prefetching for
   * their accounts, gateways and hosts.
   */
  releaseStale(): void {
    const now = performance.now()
    const isStale = ({ since }: PrefetchedSubmission) => now - since > maxPrefetchMs
    for (const row of this.#rows.values())
      if (isStale(row)) this.#deps.lanes.stopPrefetching(row.demand)
    this.#releaseIf(isStale)
  }

  /**
   * Releases prefetched submissions (claimed early) whose account, gateway or host is suspended
   * after a failure.
   */
  releaseSuspended(): void {
    this.#releaseIf(({ demand }) => this.#deps.lanes.isSuspended(demand))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release()
    await this.#releases.drain()
  }

  #releaseIf(condition: (row: PrefetchedSubmission) => boolean): void {
    const rows = [...this.#rows.values()].filter(condition)
    if (rows.length === 0) return
    for (const row of rows) this.#remove(row)
    this.#releases.run(this.#releaseLeases(rows.map(({ submission }) => submission)))
  }

  #remove({ submission, permit }: PrefetchedSubmission): void {
    this.#rows.delete(submission.queueId)
    permit[Symbol.dispose]()
  }

  /**
   * Releases the outbox leases of prefetched submissions, which did not start yet. If all tries
   * fail, the leases expire.
   */
  async #releaseLeases(leases: OutboxLease[]): Promise<void> {
    const { db, log } = this.#deps
    const onRetry = (err: unknown) => log.warn({ err, rows: leases.length }, 'claims not released')
    await retryUntil(() => releaseUnstarted(db, leases), {
      delayMs: 1_000,
      maxAttempts: 3,
      onRetry,
    }).catch(onRetry)
  }
}
