import type { Db } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { ClaimedDelivery, ClaimOwner } from '../store/deliveries.ts'
import { claimDueDeliveries } from '../store/delivery-claims.ts'
import { findNextDueMs } from '../store/due-deliveries.ts'
import { Backlog, pollMs } from './backlog.ts'
import type { TargetThrottle } from './target-throttle.ts'
import { ClaimLock, InFlightDeliveries, type InFlightOptions } from './in-flight-deliveries.ts'

export interface DispatcherOptions extends Omit<InFlightOptions, 'lock' | 'backlog'> {
  db: Db
  owner: ClaimOwner
}

/**
 * Maximum due webhook deliveries that one poll claims, per lane (queue of one target address) and
 * overall.
 */
const maxPerLane = 500
const maxRows = 1_000

/**
 * Claims webhook deliveries, when they are created (fan-out) and by polls, and schedules their
 * attempts. Polls claim due rows: retries, rows that exceeded the capacity, and rows whose lease
 * ended because the process died. Starts paused, until the first call of `setPaused`.
 */
export class Dispatcher implements AsyncDisposable {
  readonly owner: ClaimOwner
  readonly #lock = new ClaimLock()
  readonly #backlog = new Backlog()
  readonly #inFlight: InFlightDeliveries
  readonly #db: Db
  readonly #throttle: TargetThrottle
  readonly #polls: PeriodicTask

  constructor(options: DispatcherOptions) {
    const { db, owner, throttle, log } = options
    this.owner = owner
    this.#db = db
    this.#throttle = throttle
    const backlog = this.#backlog
    this.#inFlight = new InFlightDeliveries({ ...options, lock: this.#lock, backlog })
    this.#inFlight.lanes.pause()
    const polls = { everyMs: pollMs, log, name: 'poll-due' }
    this.#polls = runPeriodically(polls, (signal) => this.#pollDue(signal))
    backlog.onPoll = () => this.#polls.wake()
  }

  /**
   * Number of new webhook deliveries to claim of a lane (queue of one target address): 0 while
   * earlier deliveries of the lane are due in Postgres.
   */
  capacity(lane: string): number {
    return this.#backlog.has(lane) ? 0 : this.#inFlight.lanes.capacity(lane)
  }

  /**
   * Runs a fan-out (creation of webhook deliveries) that inserts and claims deliveries, and that
   * enqueues the claimed deliveries before its end.
   */
  claimShared<T>(fanOut: () => Promise<T>): Promise<T> {
    return this.#lock.shared(fanOut)
  }

  /**
   * Takes over the result of a fan-out (creation of webhook deliveries): claimed deliveries, and
   * lanes (queues of one webhook target each) with unclaimed deliveries.
   */
  enqueue(claimed: readonly ClaimedDelivery[], unclaimedLanes: ReadonlySet<string>): void {
    for (const lane of unclaimedLanes) {
      this.#backlog.mark(lane)
      // A poll would find no delivery to a paused webhook target.
      if (!this.#throttle.isPaused(lane)) this.poll()
    }
    this.#inFlight.enqueue(claimed)
  }

  /** Polls due webhook deliveries now, because due rows were inserted. */
  poll(): void {
    this.#backlog.pollIn(0)
  }

  /**
   * Pauses or resumes the webhook deliveries. While paused, no delivery is claimed or started.
   * Attempts that are running continue to their end.
   */
  setPaused(paused: boolean): void {
    if (paused) return this.#inFlight.lanes.pause()
    this.#inFlight.lanes.resume()
    this.poll()
  }

  /**
   * Applies changed options of webhook targets: releases the waiting deliveries to paused targets,
   * so that they stay due in Postgres, and continues with the other targets. Resolves when the
   * releases are recorded: only then further options may be applied, which may resume a target.
   */
  async applyTargetOptions(): Promise<void> {
    const released = this.#inFlight.releasePaused()
    this.#inFlight.lanes.refresh()
    this.poll()
    await released
  }

  /** Number of running webhook delivery attempts, including attempts that disposal has aborted. */
  unfinished(): number {
    return this.#inFlight.unfinished()
  }

  /**
   * Stops claiming webhook deliveries, releases deliveries that have not started and waits for
   * running attempts.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#backlog.stop()
    await this.#polls[Symbol.asyncDispose]()
    await this.#inFlight[Symbol.asyncDispose]()
  }

  async #pollDue(signal: AbortSignal): Promise<void> {
    if (this.#inFlight.lanes.paused) return
    const endRead = this.#backlog.startRead()
    const nextMs = await findNextDueMs(this.#db, this.#throttle.paused())
    if (signal.aborted || nextMs === undefined || nextMs > 0) {
      endRead([], () => false)
      if (nextMs !== undefined && nextMs < pollMs) this.#backlog.pollIn(nextMs)
      return
    }
    const claimed = await this.#lock.exclusive(() => this.#claimDue(endRead))
    if (claimed >= maxRows) this.#polls.wake()
  }

  /** Claims and enqueues due webhook deliveries. Returns the number of claimed deliveries. */
  async #claimDue(endRead: ReturnType<Backlog['startRead']>): Promise<number> {
    const { lanes } = this.#inFlight
    const capacities = lanes.capacities()
    // No lane (queue of one target address) has an empty name, so `capacity('')` is the capacity of
    // a lane without deliveries.
    const perLane = Math.min(maxPerLane, lanes.capacity(''))
    const limits = { perLane, overall: maxRows, capacities }
    const claimed = await claimDueDeliveries(this.#db, this.owner, limits)
    const byLane = Map.groupBy(claimed, ({ lane }) => lane)
    endRead(byLane.keys(), (lane) => {
      const limit = Math.min(perLane, capacities.get(lane) ?? perLane)
      return (byLane.get(lane)?.length ?? 0) >= limit
    })
    this.#inFlight.enqueue(claimed)
    return claimed.length
  }
}
