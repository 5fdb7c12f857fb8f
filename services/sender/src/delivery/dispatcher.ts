import { randomUUID } from 'node:crypto'
import { everyFew, type Loop } from '@posthorn/service'
import { AppError } from '@posthorn/errors'
import type { Counter, Histogram } from '../metrics.ts'
import {
  claimDue,
  type DueSubmission,
  listDue,
  renewLeases,
  type Submission,
} from '../store/outbox.ts'
import { suspends } from './classify-reply.ts'
import { deliver, type DeliverDeps, type Result } from './deliver.ts'
import { Lanes, type LaneLimits } from './lanes.ts'

export interface DispatcherDeps extends DeliverDeps {
  lanes: LaneLimits
  sweepMs: number
  metrics: { attempts: Counter; sent: Counter; failed: Counter; duration: Histogram }
}

interface InHand {
  submission: Submission
  cancel: AbortController
  done: Promise<void>
}

/** Due rows looked at in one query. */
const batch = 200

/**
 * Finds due messages, claims as many as can start now, and sees them through. The look comes every second and whenever something
 * says that it may be worth it: a hint, a place that became free. Looks alone are enough.
 *
 * Disposing takes no more, gives back what was not handed over yet, and waits for the answers to what was.
 */
export class Dispatcher implements AsyncDisposable {
  /** Of this process, in the rows it holds. */
  readonly worker = randomUUID()
  readonly #deps: DispatcherDeps
  readonly #lanes: Lanes
  readonly #inHand = new Map<string, InHand>()
  readonly #sweeping: Loop
  readonly #renewing: Loop
  readonly #burying: Loop
  #stopping = false

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#lanes = new Lanes(deps.lanes, deps.retryBaseMs)
    const { log, sweepMs, leaseMs } = deps
    this.#sweeping = everyFew({ everyMs: sweepMs, log, name: 'sweep' }, (signal) =>
      this.#sweep(signal),
    )
    this.#burying = everyFew({ everyMs: sweepMs, log, name: 'exhausted' }, (signal) =>
      this.#bury(signal),
    )
    this.#renewing = everyFew({ everyMs: leaseMs / 4, log, name: 'leases' }, () => this.#renew())
  }

  /** Something may be due. */
  wake(): void {
    this.#sweeping.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    await Promise.all([this.#sweeping, this.#burying].map((loop) => loop[Symbol.asyncDispose]()))
    for (const { cancel } of this.#inHand.values()) cancel.abort(new Error('the process stops'))
    await Promise.all([...this.#inHand.values()].map(({ done }) => done))
    await this.#renewing[Symbol.asyncDispose]()
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { db } = this.#deps
    while (this.#lanes.free > 0 && !signal.aborted) {
      const due = await listDue(db, { limit: batch, closed: this.#lanes.closed() })
      const fitting = due.filter(
        ({ queueId, ...place }) => !this.#inHand.has(queueId) && this.#lanes.tryEnter(place),
      )
      if (fitting.length === 0) return
      await this.#claim(fitting)
    }
  }

  /** Ends messages that every process died on. Apart from the sweep, which runs far more often than this is needed. */
  async #bury(signal: AbortSignal): Promise<void> {
    while ((await this.#deps.recorder.failExhausted()) > 0 && !signal.aborted);
  }

  async #claim(fitting: DueSubmission[]): Promise<void> {
    const { db, leaseMs } = this.#deps
    const waiting = new Map(fitting.map((place) => [place.queueId, place]))
    try {
      const claimed = await claimDue(db, [...waiting.keys()], { worker: this.worker, leaseMs })
      for (const submission of claimed) {
        const place = waiting.get(submission.queueId)
        waiting.delete(submission.queueId)
        if (place) this.#start(submission, place)
      }
    } finally {
      // Another replica was faster, or Postgres did not answer: if it claimed nevertheless, the leases end by themselves.
      for (const place of waiting.values()) this.#lanes.leave(place)
    }
  }

  #start(submission: Submission, place: DueSubmission): void {
    const { metrics } = this.#deps
    const cancel = new AbortController()
    if (this.#stopping) cancel.abort(new Error('the process stops'))
    const stopTimer = metrics.duration.startTimer()
    const done = deliver(this.#deps, submission, cancel.signal).then((result) => {
      stopTimer()
      this.#count(result)
      this.#settle(result, place)
    })
    this.#inHand.set(submission.queueId, { submission, cancel, done })
  }

  #settle(result: Result, place: DueSubmission): void {
    this.#inHand.delete(place.queueId)
    this.#lanes.leave(place)
    if (result.kind === 'sent') this.#lanes.recover(place)
    if (result.kind === 'released' && !this.#stopping) this.#lanes.suspend('account', place)
    if (result.kind === 'failed') this.#pause(result, place)
    if (!this.#stopping) this.wake()
  }

  #pause({ failure }: Extract<Result, { kind: 'failed' }>, place: DueSubmission): void {
    const kind = suspends(failure)
    if (!kind) return
    const ms = this.#lanes.suspend(kind, place)
    this.#deps.log.warn(
      { account: place.account, host: place.host, failure, ms },
      `no more messages for this ${kind} for a while`,
    )
  }

  #count(result: Result): void {
    const { attempts, sent, failed } = this.#deps.metrics
    attempts.inc({ result: result.kind })
    if (result.kind === 'sent' && result.final) sent.inc()
    if (result.kind === 'failed' && result.final) failed.inc()
  }

  /** Keeps what is in hand; a message that another process holds by now must not be handed over. */
  async #renew(): Promise<void> {
    const holds = [...this.#inHand.values()].map(({ submission }) => submission)
    const held = await renewLeases(this.#deps.db, holds, this.#deps.leaseMs)
    for (const { queueId, attempt } of holds) {
      const current = this.#inHand.get(queueId)
      if (held.has(queueId) || current?.submission.attempt !== attempt) continue
      current.cancel.abort(new AppError('stale', 'the lease was lost'))
    }
  }
}
