import { abortable, type PeriodicTask, runPeriodically, Semaphore, TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { AttemptDelivery } from '../attempt/attempt.ts'
import {
  PreAttemptError,
  releasedResult,
  type TargetFeedback,
  targetFeedback,
} from '../attempt/outcome.ts'
import type { AttemptRecorder } from '../attempt/recorder.ts'
import type { DeliveryResult } from '../store/delivery-state.ts'
import type { ClaimedDelivery } from '../store/deliveries.ts'
import type { Backlog } from './backlog.ts'
import type { LaneItem } from './lane.ts'
import { LaneScheduler } from './lane-scheduler.ts'
import type { TargetThrottle } from './target-throttle.ts'

/**
 * Maximum fan-outs (transactions that create webhook deliveries) that may claim deliveries at the
 * same time. The number exceeds the fan-outs that a process runs concurrently.
 */
const maxShared = 1_000

/**
 * Readers-writer lock of the claims of webhook deliveries of this process, FIFO.
 *
 * A claim depends on the rows that belong to this process already, enqueued or not. Fan-outs, which
 * create deliveries, may claim concurrently: an account belongs to one partition (group of
 * accounts). A poll claims due rows of any account, so it runs alone; otherwise two claims could be
 * enqueued in the wrong order.
 */
export class ClaimLock {
  readonly #permits = new Semaphore(maxShared)

  /**
   * Runs a fan-out (creation of webhook deliveries) that claims the deliveries it inserts,
   * concurrently with other fan-outs.
   */
  shared<T>(claim: () => Promise<T>): Promise<T> {
    return this.#permits.run(claim)
  }

  /**
   * Runs a poll that claims due webhook deliveries, while no fan-out (creation of deliveries) and
   * no other poll claims.
   */
  async exclusive<T>(claim: () => Promise<T>): Promise<T> {
    using _lock = await this.#permits.acquireAll()
    return await claim()
  }

  /**
   * Resolves when the webhook deliveries of all claims that started before the call of `idle` are
   * enqueued. Never rejects.
   */
  async idle(): Promise<void> {
    using _lock = await this.#permits.acquireAll()
  }
}

export interface InFlightOptions {
  lock: ClaimLock
  backlog: Backlog
  throttle: TargetThrottle
  recorder: AttemptRecorder
  attempt: AttemptDelivery
  /** Maximum concurrent calls of this process to webhook targets. */
  concurrency: number
  /**
   * Returns the time in milliseconds after which disposal aborts running webhook delivery attempts.
   * Aborted attempts are not counted, and their deliveries are released.
   */
  closeTimeoutMs: () => number
  log: Logger
}

interface Item extends LaneItem {
  delivery: ClaimedDelivery
}

interface Entry {
  delivery: ClaimedDelivery
  /**
   * Promise of recording the result of the webhook delivery attempt, set while the recording runs.
   * Never rejects.
   */
  recording?: Promise<void>
}

const maxItems = 10_000
const maxBytes = 64 * 1024 * 1024
/**
 * Number of attempts counted in advance per concurrent call of a webhook target. The number is high
 * enough that the next statement ends before the counted attempts are used up.
 */
const precountPerCall = 8
const maxPrecount = 500
/** Time for recording the last results of webhook delivery attempts at the end of a shutdown. */
const lastRecordMs = 1_000

/**
 * Claimed webhook deliveries of this process: waiting, being attempted, or being recorded. Claims
 * are renewed until the result of the attempt is recorded. Disposal releases waiting deliveries
 * immediately, uncounted, and waits for running attempts.
 */
export class InFlightDeliveries implements AsyncDisposable {
  readonly lanes: LaneScheduler<Item>
  readonly #options: InFlightOptions
  readonly #entries = new Map<string, Entry>()
  readonly #renewal: PeriodicTask
  /** Running releases of webhook deliveries to paused targets. */
  readonly #releases = new TaskGroup()
  #aborted = 0

  constructor(options: InFlightOptions) {
    const { backlog, concurrency, throttle, recorder, log } = options
    this.#options = options
    this.lanes = new LaneScheduler({
      throttle,
      concurrency,
      maxItems,
      maxBytes,
      run: (item, signal) => this.#attempt(item, signal),
      onCapacity: (lane) => backlog.onCapacity(lane),
    })
    const renewal = { everyMs: recorder.renewEveryMs, log, name: 'renew-claims' }
    this.#renewal = runPeriodically(renewal, () => recorder.renew([...this.#entries.keys()]))
  }

  /** Enqueues claimed webhook deliveries, in the order of their events. */
  enqueue(deliveries: readonly ClaimedDelivery[]): void {
    for (const delivery of deliveries) {
      const entry = this.#entries.get(delivery.id)
      if (entry) {
        // Updates the number of attempts of a webhook delivery that was claimed again after its
        // lease ended unnoticed, because another process may have attempted the delivery.
        entry.delivery.attempts = delivery.attempts
        // Waits until the webhook delivery's last result is recorded before enqueuing the delivery.
        // The delivery became due and was claimed again before this process knew that the result
        // was committed.
        void entry.recording?.then(() => this.enqueue([delivery]))
        continue
      }
      this.#entries.set(delivery.id, { delivery })
      // The webhook target was paused after the delivery was claimed.
      if (this.#options.throttle.isPaused(delivery.lane)) this.#releaseToPaused(toItem(delivery))
      else this.lanes.add(toItem(delivery))
    }
  }

  /**
   * Releases, uncounted, the waiting webhook deliveries of targets that operators have paused.
   * Resolves when the releases are recorded. A target that is resumed earlier could receive later
   * deliveries before the released deliveries.
   */
  async releasePaused(): Promise<void> {
    for (const item of this.lanes.removePaused()) this.#releaseToPaused(item)
    // Claims of webhook deliveries that started before the pause of their target release these
    // deliveries in `enqueue`.
    await this.#options.lock.idle()
    await this.#releases.drain()
  }

  /** Number of running webhook delivery attempts, including attempts that disposal has aborted. */
  unfinished(): number {
    return this.#aborted + this.lanes.running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { recorder, closeTimeoutMs } = this.#options
    const { unstarted, ended } = this.lanes.stop(closeTimeoutMs())
    await recorder.drainPrecounts()
    await Promise.all(unstarted.map((item) => this.#release(item)))
    this.#aborted = (await ended).aborted
    setTimeout(() => recorder.stop(), lastRecordMs).unref()
    await Promise.all([...this.#entries.values()].flatMap(({ recording }) => recording ?? []))
    await this.#renewal[Symbol.asyncDispose]()
  }

  async #attempt(item: Item, signal: AbortSignal): Promise<TargetFeedback> {
    const { delivery } = item
    this.#precountNext(delivery.lane)
    try {
      const result = await this.#options.attempt(delivery, signal)
      // Does not await the recording of the result, so that further webhook deliveries to the
      // target start while results are recorded in batches.
      void this.#record(result)
      return targetFeedback(result)
    } catch (err) {
      if (err instanceof PreAttemptError) await this.#onClaimLost(item, signal)
      else await this.#onUnexpectedError(delivery, err)
      return { responded: true }
    }
  }

  #precountNext(lane: string): void {
    const { recorder, throttle } = this.#options
    if (recorder.isPrecounting(lane)) return
    const count = Math.min(throttle.limit(lane) * precountPerCall, maxPrecount)
    const upcoming = this.lanes.upcoming(lane, count)
    recorder.precount(
      lane,
      upcoming.map(({ delivery }) => delivery),
    )
  }

  /**
   * Records the result of an attempt and removes the entry of its delivery. Never rejects. If the
   * result cannot be recorded, the lease of the webhook delivery must end.
   */
  #record(result: DeliveryResult): Promise<void> {
    const { id, state, waitMs } = result
    const { recorder, backlog, log } = this.#options
    const commit = async () => {
      try {
        await recorder.record(result)
        if (state === 'due') backlog.pollIn(waitMs)
      } catch (err) {
        log.error({ err, id, state }, 'delivery result not recorded')
      }
      this.#entries.delete(id)
    }
    const recording = commit()
    const entry = this.#entries.get(id)
    if (entry) entry.recording = recording
    return recording
  }

  #releaseToPaused(item: Item): void {
    this.#releases.run(this.#release(item))
  }

  async #release({ delivery: { id } }: Item): Promise<void> {
    await this.#record(releasedResult(id, await this.#options.recorder.cancelPrecount(id)))
  }

  /**
   * Releases the successors (later webhook deliveries of the same account to the same target
   * address) of a delivery that another process holds. The other process continues with the
   * successors: attempts of this process would overtake the delivery. Repeats until no successor is
   * left that was claimed while this process was assumed to hold the delivery, or until the signal
   * aborts.
   */
  async #onClaimLost(item: Item, signal: AbortSignal): Promise<void> {
    const { lock, log } = this.#options
    log.warn(logFields(item.delivery), 'delivery claim lost')
    this.#entries.delete(item.delivery.id)
    const releaseSuccessors = () =>
      this.lanes.removeSuccessors(item).map((successor) => this.#release(successor))
    let released = releaseSuccessors()
    do {
      const done = Promise.all(released).then(() => lock.idle())
      await abortable(done, signal).catch(() => undefined)
      released = releaseSuccessors()
    } while (released.length > 0)
  }

  /**
   * Drops from memory a webhook delivery whose attempt failed unexpectedly. The delivery stays
   * claimed until its lease ends, so that a persistent error is not repeated in a tight loop.
   */
  async #onUnexpectedError(delivery: ClaimedDelivery, err: unknown): Promise<void> {
    const { log, recorder } = this.#options
    log.error({ err, ...logFields(delivery) }, 'delivery attempt failed unexpectedly')
    await recorder.cancelPrecount(delivery.id)
    this.#entries.delete(delivery.id)
  }
}

function logFields({ id, event, account }: ClaimedDelivery) {
  return { id, event, account }
}

/**
 * Converts a webhook delivery into an item of its lane (queue of one target address). Ordered
 * deliveries of an account and lane form a chain, which runs serially. A retried delivery is a
 * chain of its own.
 */
function toItem(delivery: ClaimedDelivery): Item {
  const { id, account, lane, ordered, body } = delivery
  return {
    delivery,
    lane,
    chain: ordered ? `${account}\0${lane}` : id,
    bytes: 1_000 + (body?.length ?? 0),
  }
}
