import type { Db } from '@posthorn/db'
import { listDue } from '../store/outbox.ts'
import type { DueSubmission } from '../store/submission.ts'
import type { HolderCheck } from './holder-check.ts'
import type { LaneDemand, LaneLimiter } from './lane-limiter.ts'

export interface CandidateDeps {
  db: Db
  lanes: LaneLimiter
  /**
   * Interval at which the outbox (table of submissions) is polled if no hint about a new submission
   * arrives.
   */
  sweepMs: number
  holders: HolderCheck
  /** True if this sender has claimed an outbox row. */
  isClaimed: (queueId: string) => boolean
}

/** Maximum outbox rows (messages to send) that one poll of the outbox reads. */
const pollBatch = 200
/**
 * Maximum number of candidates (due outbox rows) in memory. The next poll finds dropped candidates
 * again.
 */
const maxCandidates = 1_000
/**
 * Minimum time between polls of the outbox, however many hints arrive: polls are expensive when
 * many submissions are due.
 */
const minPollGapMs = 10

/**
 * Candidates to be claimed: due outbox rows of the latest polls. Candidates may be stale: the claim
 * checks whether the rows are still due.
 */
export class Candidates {
  readonly #deps: CandidateDeps
  readonly #rows = new Map<string, DueSubmission>()
  /**
   * Queue ids of outbox rows that could not be claimed, with the time until which polls skip the
   * rows.
   */
  readonly #claimConflicts = new Map<string, number>()
  /**
   * True if due rows were left out of a poll after the candidates (due outbox rows in memory) were
   * last empty.
   */
  #hasMore = false
  #isPollRequested = false
  #polledAt = -Infinity

  constructor(deps: CandidateDeps) {
    this.#deps = deps
  }

  [Symbol.iterator](): Iterator<DueSubmission> {
    return this.#rows.values()
  }

  /** Requests a poll of the outbox. Returns the milliseconds until a poll is allowed. */
  requestPoll(): number {
    this.#isPollRequested = true
    return this.#polledAt + minPollGapMs - performance.now()
  }

  /**
   * Polls the outbox if a poll is due. Returns true if more rows may be due in other lanes
   * (accounts, gateways or hosts).
   */
  async pollIfDue(): Promise<boolean> {
    const gapMs = this.#isPollRequested ? minPollGapMs : this.#deps.sweepMs * 0.9
    if (performance.now() < this.#polledAt + gapMs) return false
    this.#isPollRequested = false
    this.#polledAt = performance.now()
    if (this.#rows.size > maxCandidates) this.#rows.clear()
    if (this.#rows.size === 0) this.#hasMore = false
    const { db, lanes, holders: senders } = this.#deps
    const due = await listDue(db, { limit: pollBatch, saturated: lanes.saturated(), senders })
    const isFull = due.length === pollBatch
    if (isFull) this.#hasMore = true
    for (const row of due) if (this.#isCandidate(row)) this.#rows.set(row.queueId, row)
    return isFull
  }

  /**
   * Allows the next poll of the outbox immediately, because the rows of the last poll have filled
   * their lanes (limits per account, gateway or host), so that the next poll finds rows of other
   * lanes.
   */
  pollAgain(): void {
    this.#isPollRequested = true
    this.#polledAt = -Infinity
  }

  /** Removes outbox rows that are being claimed from the candidates (due rows in memory). */
  remove(queueIds: Iterable<string>): void {
    for (const queueId of queueIds) this.#rows.delete(queueId)
  }

  /**
   * Drops all candidates (due outbox rows in memory), because another sender claims the same rows.
   */
  clear(): void {
    this.#rows.clear()
  }

  /**
   * Skips outbox rows that could not be claimed, for one poll interval, so that polls find other
   * rows.
   */
  skip(queueIds: Iterable<string>): void {
    const now = Date.now()
    for (const [queueId, until] of this.#claimConflicts)
      if (until <= now) this.#claimConflicts.delete(queueId)
    for (const queueId of queueIds) this.#claimConflicts.set(queueId, now + this.#deps.sweepMs)
  }

  /**
   * True if due rows of an account or host may be in the outbox, but not among the candidates (due
   * rows in memory).
   */
  mayHaveMoreFor({ account, host }: LaneDemand): boolean {
    if (!this.#hasMore) return false
    for (const row of this.#rows.values())
      if (row.account === account || (host !== '' && row.host === host)) return false
    return true
  }

  #isCandidate({ queueId, holder }: DueSubmission): boolean {
    if (holder !== null && !this.#deps.holders.isDead(holder)) return false
    const skipUntil = this.#claimConflicts.get(queueId) ?? 0
    return !this.#deps.isClaimed(queueId) && skipUntil <= Date.now()
  }
}
