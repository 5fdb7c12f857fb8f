import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { AttemptDelivery } from '../attempt/attempt.ts'
import type { AttemptRecorder } from '../attempt/recorder.ts'
import type { ClaimedDelivery, ClaimOwner } from '../store/deliveries.ts'
import { Backlog } from './backlog.ts'
import { ClaimLock } from './claim-lock.ts'
import { startDuePoller } from './due-poller.ts'
import { InFlightDeliveries } from './in-flight-deliveries.ts'
import type { TargetThrottle } from './target-throttle.ts'

export interface DispatcherOptions {
  db: Db
  owner: ClaimOwner
  throttle: TargetThrottle
  recorder: AttemptRecorder
  attempt: AttemptDelivery
  /** Maximum concurrent calls of this process. */
  concurrency: number
  log: Logger
}

/**
 * Schedules the deliveries that this process claims, from a fan-out or from Postgres. It starts
 * paused, until the first call of `setPaused`.
 */
export class Dispatcher implements AsyncDisposable {
  readonly owner: ClaimOwner
  readonly #lock = new ClaimLock()
  readonly #backlog = new Backlog()
  readonly #inFlight: InFlightDeliveries
  readonly #poller: AsyncDisposable

  constructor(options: DispatcherOptions) {
    const shared = { ...options, lock: this.#lock, backlog: this.#backlog }
    this.owner = options.owner
    this.#inFlight = new InFlightDeliveries(shared)
    this.#inFlight.pause()
    this.#poller = startDuePoller({ ...shared, inFlight: this.#inFlight })
  }

  /** Number of new deliveries of a lane to claim: 0 while earlier ones are due in Postgres. */
  capacity(lane: string): number {
    return this.#backlog.has(lane) ? 0 : this.#inFlight.capacity(lane)
  }

  /** Runs a fan-out that claims the deliveries it inserts and enqueues them before it returns. */
  claimShared<T>(fanOut: () => Promise<T>): Promise<T> {
    return this.#lock.shared(fanOut)
  }

  /** Takes over the result of a fan-out: claimed deliveries, and lanes with unclaimed ones. */
  enqueue(claimed: readonly ClaimedDelivery[], unclaimedLanes: ReadonlySet<string>): void {
    for (const lane of unclaimedLanes) this.#backlog.mark(lane)
    this.#inFlight.enqueue(claimed)
  }

  /** Polls now: rows were inserted that are due. */
  poll(): void {
    this.#backlog.pollIn(0)
  }

  /** While paused, nothing is claimed or started. Running attempts end. */
  setPaused(paused: boolean): void {
    if (paused) return this.#inFlight.pause()
    this.#inFlight.resume()
    this.poll()
  }

  /** Stops claiming, ends running attempts and releases the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#poller[Symbol.asyncDispose]()
    await this.#inFlight[Symbol.asyncDispose]()
  }
}
