import { randomUUID } from 'node:crypto'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import { AppError } from '@posthorn/errors'
import type { senderMetrics } from '../metrics.ts'
import {
  claimDue,
  type DueSubmission,
  listDue,
  renewLeases,
  type Submission,
} from '../store/outbox.ts'
import { runAttempt, type AttemptDeps, type AttemptResult } from '../attempt/run-attempt.ts'
import { LaneLimiter, type LaneLimits } from './lane-limiter.ts'
import { PrefetchedSubmissions } from './prefetched-submissions.ts'

export interface DispatcherDeps extends AttemptDeps {
  lanes: LaneLimits
  sweepMs: number
  /** Nothing is to be started; what was, goes on. */
  paused: () => boolean
  metrics: ReturnType<typeof senderMetrics>
}

interface InHand {
  submission: Submission
  cancel: AbortController
  done: Promise<void>
}

/** A place that is taken for a row which is to be claimed. */
interface Fitting {
  place: DueSubmission
  waits: boolean
}

/** Due rows looked at in one query. */
const batch = 200
/** Due rows remembered at most; what is forgotten is found by the next look. */
const maxKnown = 1_000
/** Hints ask for looks as often as this at most: a look costs the more the more there is to do. */
const lookGapMs = 10

/**
 * Finds due messages, claims as many as can start now, and sees them through. The look comes every second and whenever a hint says that
 * it may be worth it; a place that became free is filled from what the last look found, where servers are quick from what is claimed
 * already. Looks alone are enough.
 *
 * Disposing takes no more, gives back what was not handed over yet, and waits for the answers to what was.
 */
export class Dispatcher implements AsyncDisposable {
  /** Of this process, in the rows it holds. */
  readonly worker = randomUUID()
  readonly #deps: DispatcherDeps
  readonly #lanes: LaneLimiter
  readonly #inHand = new Map<string, InHand>()
  readonly #waiting: PrefetchedSubmissions
  readonly #sweeping: PeriodicTask
  readonly #renewing: PeriodicTask
  readonly #burying: PeriodicTask
  /** Due when last looked at, and not claimed: claiming finds out whether they still are. */
  readonly #known = new Map<string, DueSubmission>()
  /** Due, and not to be had when last claimed, with the time from which to try again: they must not be in the way of others. */
  readonly #passedOver = new Map<string, number>()
  /** There was more than one look shows. */
  #more = false
  #lookWanted = false
  #lookedAt = -Infinity
  #lookTimer: NodeJS.Timeout | undefined
  #stopping = false

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#lanes = new LaneLimiter(deps.lanes, deps.retryBaseMs)
    this.#waiting = new PrefetchedSubmissions({ ...deps, lanes: this.#lanes })
    const { log, sweepMs, leaseMs } = deps
    this.#sweeping = runPeriodically({ everyMs: sweepMs, log, name: 'sweep' }, (signal) =>
      this.#sweep(signal),
    )
    this.#burying = runPeriodically({ everyMs: sweepMs, log, name: 'exhausted' }, (signal) =>
      this.#bury(signal),
    )
    this.#renewing = runPeriodically({ everyMs: leaseMs / 4, log, name: 'leases' }, () =>
      this.#renew(),
    )
  }

  /** Something may be due. */
  wake(): void {
    this.#lookWanted = true
    const waitMs = this.#lookedAt + lookGapMs - performance.now()
    if (waitMs <= 0) return this.#sweeping.wake()
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined
      this.#sweeping.wake()
    }, Math.ceil(waitMs))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#lookTimer)
    await Promise.all([this.#sweeping, this.#burying].map((loop) => loop[Symbol.asyncDispose]()))
    for (const { cancel } of this.#inHand.values()) cancel.abort(new Error('the process stops'))
    await this.#waiting[Symbol.asyncDispose]()
    await Promise.all([...this.#inHand.values()].map(({ done }) => done))
    await this.#renewing[Symbol.asyncDispose]()
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    if (this.#deps.paused()) this.#waiting.release()
    this.#waiting.releaseStale()
    while (this.#lanes.capacity > 0 && !signal.aborted && !this.#deps.paused()) {
      const found = this.#isTimeToLook() ? await this.#look() : 0
      const fitting = this.#fitting()
      if (fitting.length === 0) return
      await this.#claim(fitting)
      // Behind so many, whose lanes are full by now, there may be others.
      if (found === batch) this.#lookAgain()
    }
  }

  /** Those of the known that can start now, or wait for a place. */
  #fitting(): Fitting[] {
    const fitting: Fitting[] = []
    for (const place of this.#known.values())
      if (this.#lanes.tryAcquire(place)) fitting.push({ place, waits: false })
      else if (place.fresh && this.#lanes.tryPrefetch(place)) fitting.push({ place, waits: true })
    return fitting
  }

  #lookAgain(): void {
    this.#lookWanted = true
    this.#lookedAt = -Infinity
  }

  #isTimeToLook(): boolean {
    const gapMs = this.#lookWanted ? lookGapMs : this.#deps.sweepMs * 0.9
    return performance.now() >= this.#lookedAt + gapMs
  }

  async #look(): Promise<number> {
    this.#lookWanted = false
    this.#lookedAt = performance.now()
    if (this.#known.size > maxKnown) this.#known.clear()
    if (this.#known.size === 0) this.#more = false
    const due = await listDue(this.#deps.db, { limit: batch, closed: this.#lanes.saturated() })
    if (due.length === batch) this.#more = true
    for (const place of due) if (this.#isNews(place)) this.#known.set(place.queueId, place)
    return due.length
  }

  #isNews({ queueId }: DueSubmission): boolean {
    const again = this.#passedOver.get(queueId) ?? 0
    return !this.#inHand.has(queueId) && !this.#waiting.has(queueId) && again <= Date.now()
  }

  #passOver(queueIds: Iterable<string>): void {
    const now = Date.now()
    for (const [queueId, again] of this.#passedOver)
      if (again <= now) this.#passedOver.delete(queueId)
    for (const queueId of queueIds) this.#passedOver.set(queueId, now + this.#deps.sweepMs)
  }

  /** Ends messages that every process died on. Apart from the sweep, which runs far more often than this is needed. */
  async #bury(signal: AbortSignal): Promise<void> {
    while ((await this.#deps.recorder.failExhausted()) > 0 && !signal.aborted);
  }

  async #claim(fitting: Fitting[]): Promise<void> {
    const { db, leaseMs } = this.#deps
    const missing = new Map(fitting.map((one) => [one.place.queueId, one]))
    for (const queueId of missing.keys()) this.#known.delete(queueId)
    try {
      const claimed = await claimDue(db, [...missing.keys()], { worker: this.worker, leaseMs })
      // As the claim brings them is no order.
      const rows = new Map(claimed.map((submission) => [submission.queueId, submission]))
      for (const { place, waits } of fitting) {
        const submission = rows.get(place.queueId)
        if (!submission) continue
        missing.delete(place.queueId)
        if (waits) this.#waiting.add(submission, place)
        else this.#start(submission, place)
      }
      // What happened meanwhile is about these as well.
      this.#waiting.releaseSuspended()
      this.#startWaiting()
      this.#passOver(missing.keys())
      if (missing.size > 0) this.#distrust()
    } finally {
      // Another replica was faster, or Postgres did not answer: if it claimed nevertheless, the leases end by themselves.
      for (const { place, waits } of missing.values())
        if (waits) this.#lanes.releasePrefetch(place)
        else this.#lanes.release(place)
    }
  }

  #startWaiting(): void {
    if (this.#stopping || this.#deps.paused()) return
    for (const { submission, place } of this.#waiting.takeStartable())
      this.#start(submission, place)
  }

  /** Another replica is at work on what we know: it has to be looked at anew. */
  #distrust(): void {
    this.#known.clear()
    this.wake()
  }

  #start(submission: Submission, place: DueSubmission): void {
    const { metrics } = this.#deps
    const cancel = new AbortController()
    if (this.#stopping) cancel.abort(new Error('the process stops'))
    const stopTimer = metrics.duration.startTimer()
    let atServer = true
    const startedAt = performance.now()
    const onTaken = () => {
      atServer = false
      this.#lanes.recover(place, performance.now() - startedAt)
      this.#lanes.releaseServer(place)
      this.#refill(place)
    }
    const done = runAttempt(this.#deps, submission, { signal: cancel.signal, onTaken }).then(
      (result) => {
        stopTimer()
        this.#count(result)
        if (atServer) this.#lanes.releaseServer(place)
        this.#settle(result, place)
      },
    )
    this.#inHand.set(submission.queueId, { submission, cancel, done })
  }

  #settle(result: AttemptResult, place: DueSubmission): void {
    this.#inHand.delete(place.queueId)
    this.#lanes.releaseProcess(place)
    if (result.kind === 'released' && !this.#stopping) {
      this.#lanes.suspend('account', place)
      this.#waiting.releaseSuspended()
    }
    if (result.kind === 'failed') this.#pause(result, place)
    this.#refill(place)
  }

  #refill(place: DueSubmission): void {
    if (this.#stopping) return
    this.#startWaiting()
    // What is at hand lasts for a while.
    if (this.#waiting.isEnoughFor(place)) return
    // What else waits for this lane may be beyond what was looked at.
    if (this.#more && !this.#knowsOf(place)) this.wake()
    else this.#sweeping.wake()
  }

  #knowsOf({ account, host }: DueSubmission): boolean {
    for (const known of this.#known.values())
      if (known.account === account || (host !== '' && known.host === host)) return true
    return false
  }

  #pause(
    { failure, suspends: kind }: Extract<AttemptResult, { kind: 'failed' }>,
    place: DueSubmission,
  ): void {
    if (!kind) return
    const ms = this.#lanes.suspend(kind, place)
    this.#waiting.releaseSuspended()
    this.#deps.log.warn(
      { account: place.account, gateway: place.gateway, host: place.host, failure, ms },
      `no more messages for this ${kind} for a while`,
    )
  }

  #count(result: AttemptResult): void {
    const { attempts, sent, failed, minutes } = this.#deps.metrics
    attempts.inc({ result: result.kind })
    if (result.kind === 'sent' && result.final) sent.inc()
    if (result.kind === 'failed' && result.final) failed.inc()
    if (result.kind === 'sent') minutes.count('submit:success')
    if (result.kind === 'failed') minutes.count('submit:fail')
  }

  /** Keeps what is in hand; a message that another process holds by now must not be handed over. */
  async #renew(): Promise<void> {
    const holds = [...this.#inHand.values(), ...this.#waiting.rows].map(
      ({ submission }) => submission,
    )
    const held = await renewLeases(this.#deps.db, holds, this.#deps.leaseMs)
    for (const { queueId, attempt } of holds) {
      if (held.has(queueId)) continue
      this.#waiting.drop({ queueId, attempt })
      const current = this.#inHand.get(queueId)
      if (current?.submission.attempt !== attempt) continue
      current.cancel.abort(new AppError('stale', 'the lease was lost'))
    }
  }
}
