import { type PeriodicTask, type Permit, runPeriodically } from '@posthorn/flow'
import { type AttemptDeps, type AttemptResult, runAttempt } from '../attempt/run-attempt.ts'
import type { senderMetrics } from '../metrics.ts'
import { claimDue } from '../store/claims.ts'
import { renewLeases } from '../store/outbox.ts'
import type { DueSubmission, LaneKeys, Submission } from '../store/submission.ts'
import { RecordError } from '../transports/transport.ts'
import type { AccountLocks } from './account-locks.ts'
import { Candidates } from './candidates.ts'
import type { HolderCheck } from './holder-check.ts'
import { type LaneDemand, LaneLimiter, type LaneLimits, type LanePermit } from './lane-limiter.ts'
import { PrefetchedSubmissions } from './prefetched-submissions.ts'

export interface DispatcherDeps extends AttemptDeps {
  lanes: LaneLimits
  sweepMs: number
  /** True while the queue of submissions is paused. Attempts in flight continue. */
  paused: () => boolean
  metrics: ReturnType<typeof senderMetrics>
  /** Locks of this sender on accounts at mail APIs. */
  locks: AccountLocks
  holders: HolderCheck
}

interface InFlightSubmission {
  submission: Submission
  cancel: AbortController
  done: Promise<void>
}

/**
 * Capacity reserved for an outbox row that is being claimed. Without `start` the submission of the
 * row does not start yet, but is only prefetched.
 */
interface Reservation {
  row: DueSubmission
  start: LanePermit | undefined
  permit: Permit
}

/**
 * Starts the attempts of submissions. Each outbox row is in one of these places:
 *
 * - candidate: due when last polled, not claimed (`Candidates`)
 * - prefetched: claimed, waiting for capacity of its account, gateway or host
 *   (`PrefetchedSubmissions`)
 * - in flight: an attempt of the row is running
 *
 * `LaneLimiter` has the capacity and the suspended lanes (accounts, gateways and hosts). The outbox
 * is polled every `sweepMs` and on hints (bus messages); hints are not needed for correctness.
 *
 * Disposal claims nothing more, cancels attempts that have not reached the end of the message data
 * and waits for other attempts.
 */
export class Dispatcher implements AsyncDisposable {
  readonly #deps: DispatcherDeps
  readonly #lanes: LaneLimiter
  readonly #candidates: Candidates
  readonly #prefetched: PrefetchedSubmissions
  readonly #inFlight = new Map<string, InFlightSubmission>()
  readonly #sweeper: PeriodicTask
  readonly #leaseRenewer: PeriodicTask
  readonly #reaper: PeriodicTask
  #wakeTimer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    const { db, log, sweepMs, timing } = deps
    const { holders } = deps
    const lanes = new LaneLimiter(deps.lanes, timing.retryBaseMs)
    this.#lanes = lanes
    this.#prefetched = new PrefetchedSubmissions({ db, lanes, log })
    const isClaimed = (queueId: string) =>
      this.#inFlight.has(queueId) || this.#prefetched.has(queueId)
    this.#candidates = new Candidates({ db, lanes, sweepMs, holders, isClaimed })
    const every = (everyMs: number, name: string) => ({ everyMs, log, name })
    this.#sweeper = runPeriodically(every(sweepMs, 'sweep'), (signal) => this.#sweep(signal))
    this.#reaper = runPeriodically(every(sweepMs, 'reap'), (signal) => this.#reapExhausted(signal))
    this.#leaseRenewer = runPeriodically(every(timing.leaseMs / 4, 'renew leases'), () =>
      this.#renewLeases(),
    )
  }

  /** Number of submissions (messages to send) that have a running attempt in this process. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Polls the outbox soon, because submissions may be due. */
  wake(): void {
    const waitMs = this.#candidates.requestPoll()
    if (waitMs <= 0) return this.#sweeper.wake()
    this.#wakeTimer ??= setTimeout(() => {
      this.#wakeTimer = undefined
      // A timer of Node.js may fire up to 1 ms early, before the poll of the outbox is due.
      this.wake()
    }, Math.ceil(waitMs))
  }

  /**
   * Lanes (accounts, gateways or hosts) that are suspended after a failure. At most one submission
   * at a time may start in a suspended lane.
   */
  suspendedLanes(): LaneKeys {
    return this.#lanes.suspended()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#wakeTimer)
    await Promise.all([this.#sweeper, this.#reaper].map((task) => task[Symbol.asyncDispose]()))
    for (const { cancel } of this.#inFlight.values()) cancel.abort(stoppingError())
    await this.#prefetched[Symbol.asyncDispose]()
    await Promise.all(Array.from(this.#inFlight.values(), ({ done }) => done))
    await this.#leaseRenewer[Symbol.asyncDispose]()
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    if (this.#deps.paused()) this.#prefetched.release()
    this.#prefetched.releaseStale()
    while (this.#lanes.capacity > 0 && !signal.aborted && !this.#deps.paused()) {
      const mayHaveMore = await this.#candidates.pollIfDue()
      const reservations = this.#reserveSlots()
      if (reservations.length === 0) return
      await this.#claim(reservations)
      if (mayHaveMore) this.#candidates.pollAgain()
    }
  }

  /**
   * Reserves lane capacity (per account, gateway and host) for the candidates (due outbox rows)
   * that can start now or be prefetched.
   */
  #reserveSlots(): Reservation[] {
    const reservations: Reservation[] = []
    for (const row of this.#candidates) {
      const start = this.#lanes.tryAcquire(row)
      const permit = start ?? (row.fresh ? this.#lanes.tryPrefetch(row) : undefined)
      if (permit) reservations.push({ row, start, permit })
    }
    return reservations
  }

  async #claim(reservations: Reservation[]): Promise<void> {
    const { db, timing, holders } = this.#deps
    const conflicts = new Map(reservations.map((each) => [each.row.queueId, each]))
    this.#candidates.remove(conflicts.keys())
    try {
      const rows = reservations.map(({ row }) => row)
      const { worker, dead } = holders
      const claimed = await claimDue(db, rows, { worker, dead, leaseMs: timing.leaseMs })
      const submissions = new Map(claimed.map((each) => [each.queueId, each]))
      // Submissions start in the order of the candidates (due outbox rows), because the claim
      // returns rows in no particular order.
      for (const { row, start, permit } of reservations) {
        const submission = submissions.get(row.queueId)
        if (!submission) continue
        conflicts.delete(row.queueId)
        if (start) this.#start(submission, row, start)
        else this.#prefetched.add(submission, row, permit)
      }
      // Releases or starts prefetched submissions, because lanes (accounts, gateways or hosts) may
      // have been suspended, or their capacity released, during the claim.
      this.#prefetched.releaseSuspended()
      this.#startPrefetched()
      this.#candidates.skip(conflicts.keys())
      if (conflicts.size > 0) this.#resetCandidates()
    } finally {
      // Releases the reserved capacity of outbox rows whose claim returned no submission. If
      // Postgres committed the claim but its reply was lost, the leases of these rows expire.
      for (const { permit } of conflicts.values()) permit[Symbol.dispose]()
    }
  }

  /**
   * Drops the candidates (due outbox rows in memory) and polls the outbox again, because another
   * sender claimed some of the candidates.
   */
  #resetCandidates(): void {
    this.#candidates.clear()
    this.wake()
  }

  #startPrefetched(): void {
    if (this.#isStopping || this.#deps.paused()) return
    for (const { submission, demand, permit } of this.#prefetched.takeStartable())
      this.#start(submission, demand, permit)
  }

  #start(submission: Submission, demand: LaneDemand, permit: LanePermit): void {
    const { locks } = this.#deps
    const cancel = new AbortController()
    if (demand.byApi) locks.add(submission)
    if (this.#isStopping) cancel.abort(stoppingError())
    const stopTimer = this.#deps.metrics.duration.startTimer()
    const startedAt = performance.now()
    const onAccepted = () => {
      this.#lanes.recover(demand, performance.now() - startedAt)
      permit.releaseServer()
      this.#refill(demand)
    }
    const options = { signal: cancel.signal, onAccepted }
    const done = runAttempt(this.#deps, submission, options).then((result) => {
      stopTimer()
      this.#count(result)
      this.#inFlight.delete(submission.queueId)
      if (demand.byApi) locks.remove(submission)
      permit[Symbol.dispose]()
      this.#suspendLane(result, demand)
      this.#refill(demand)
    })
    this.#inFlight.set(submission.queueId, { submission, cancel, done })
  }

  /**
   * Suspends the lane (account, gateway or host) that the failure of a sending attempt concerns. A
   * cancelled attempt suspends the lane of the account.
   */
  #suspendLane(result: AttemptResult, demand: LaneDemand): void {
    const { account, gateway, host } = demand
    if (result.kind === 'released' && result.pauseMs !== undefined) {
      // The pause of the account is stored in Postgres, so the pause applies to all senders.
      this.#deps.log.warn(
        { account, suspendedMs: result.pauseMs },
        'account paused by its provider',
      )
      return
    }
    if (result.kind === 'released' && !this.#isStopping) {
      this.#lanes.suspend('account', demand)
      this.#prefetched.releaseSuspended()
    }
    if (result.kind !== 'failed' || !result.suspends) return
    const { failure, suspends: kind } = result
    const suspendedMs = this.#lanes.suspend(kind, demand)
    this.#prefetched.releaseSuspended()
    this.#deps.log.warn({ kind, account, gateway, host, failure, suspendedMs }, 'lane suspended')
  }

  /**
   * Uses capacity of an account, gateway or host that became free: starts prefetched submissions,
   * or polls the outbox.
   */
  #refill(demand: LaneDemand): void {
    if (this.#isStopping) return
    this.#startPrefetched()
    if (this.#prefetched.hasStockFor(demand)) return
    if (this.#candidates.mayHaveMoreFor(demand)) this.wake()
    else this.#sweeper.wake()
  }

  #count(result: AttemptResult): void {
    const { attempts, sent, failed, minutes } = this.#deps.metrics
    attempts.inc({ result: result.kind })
    if (result.kind === 'sent' && result.final) sent.inc()
    if (result.kind === 'failed' && result.final) failed.inc()
    if (result.kind === 'sent') minutes.count('submit:success')
    if (result.kind === 'failed') minutes.count('submit:fail')
  }

  /**
   * Marks submissions failed whose attempts are used up. Runs apart from the polls of the outbox,
   * which hints start far more often.
   */
  async #reapExhausted(signal: AbortSignal): Promise<void> {
    while ((await this.#deps.recorder.reapExhausted()) > 0 && !signal.aborted);
  }

  /**
   * Renews the leases of all claimed outbox rows. A submission with a lost lease is cancelled,
   * unless its end of data may already have been sent.
   */
  async #renewLeases(): Promise<void> {
    const { db, timing, locks } = this.#deps
    await locks.renew()
    const inFlight = Array.from(this.#inFlight.values(), ({ submission }) => submission)
    const leases = [...inFlight, ...this.#prefetched.submissions]
    const renewed = await renewLeases(db, leases, timing.leaseMs)
    for (const { queueId, attempt } of leases) {
      if (renewed.has(queueId)) continue
      this.#prefetched.drop({ queueId, attempt })
      const current = this.#inFlight.get(queueId)
      if (current?.submission.attempt !== attempt) continue
      current.cancel.abort(new RecordError('outbox lease lost'))
    }
  }
}

function stoppingError(): Error {
  return new Error('process stopping')
}
