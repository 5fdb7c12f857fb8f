import { backoff, CircuitBreaker, type Clock, monotonicClock, RateLimiter } from '@posthorn/flow'
import type { TargetFeedback } from '../attempt/outcome.ts'
import type { TargetOptions } from '../targets/options.ts'

export interface TargetThrottleOptions {
  optionsOf: (lane: string) => Pick<TargetOptions, 'concurrency' | 'rate' | 'paused'>
  /** Returns the lanes (target addresses) of all paused webhook targets. Defaults to none. */
  pausedLanes?: () => readonly string[]
  /** First suspension of a webhook target that does not respond. Doubles up to `maxSuspendMs`. */
  suspendMs: number
  maxSuspendMs: number
  clock?: Clock
}

interface LaneThrottle {
  breaker: CircuitBreaker
  limiter: RateLimiter
}

/**
 * Consecutive calls of a webhook target without a response that limit the target to one call at a
 * time. The limit keeps many dead targets from using the concurrency of the process.
 */
const degradedThreshold = 3
/**
 * Consecutive calls of a webhook target without a response that suspend the target. One call at a
 * time then probes the target.
 */
const suspendThreshold = 10
/**
 * Time by which calls of a webhook target may precede an even pace, because timers are not exact.
 */
const toleranceMs = 100
/**
 * Maximum suspension of a webhook target by its response header `Retry-After`. The header applies
 * fully only to the delivery that received the response.
 */
const maxRequestedSuspendMs = 60_000
/**
 * Maximum states of webhook targets (circuit breaker and rate) in memory. Above this number, states
 * that equal the initial state are dropped.
 */
const maxStates = 10_000

/**
 * Limits of the calls of webhook targets, per lane (target address): concurrency, rate, pauses by
 * operators, and a circuit breaker for targets that do not respond. The throttle only delays calls:
 * a delayed attempt is not counted.
 */
export class TargetThrottle {
  readonly #optionsOf: TargetThrottleOptions['optionsOf']
  /** Returns the lanes (target addresses) of all webhook targets that operators have paused. */
  readonly paused: () => readonly string[]
  readonly #clock: Clock
  readonly #openMs: (opening: number) => number
  readonly #lanes = new Map<string, LaneThrottle>()

  constructor({
    optionsOf,
    pausedLanes = () => [],
    suspendMs,
    maxSuspendMs,
    clock = monotonicClock,
  }: TargetThrottleOptions) {
    this.#optionsOf = optionsOf
    this.paused = pausedLanes
    this.#clock = clock
    this.#openMs = backoff({ baseMs: suspendMs, maxMs: maxSuspendMs })
  }

  /** Maximum concurrent calls of the webhook target to which a lane (queue) belongs. */
  limit(lane: string): number {
    const failures = this.#lanes.get(lane)?.breaker.consecutiveFailures ?? 0
    return failures >= degradedThreshold ? 1 : this.#optionsOf(lane).concurrency
  }

  /**
   * Milliseconds until the next call of the webhook target to which a lane (queue) belongs may
   * start.
   */
  delayMs(lane: string): number {
    const throttle = this.#lanes.get(lane)
    if (!throttle) return 0
    const { breaker, limiter } = throttle
    const paceMs = this.#optionsOf(lane).rate === undefined ? 0 : limiter.delayMs
    return Math.max(breaker.remainingMs, paceMs)
  }

  /** True while operators have paused the webhook target to which a lane (queue) belongs. */
  isPaused(lane: string): boolean {
    return this.#optionsOf(lane).paused === true
  }

  /** Lanes (target addresses) whose webhook target is suspended, because it does not respond. */
  suspended(): string[] {
    return [...this.#lanes.keys()].filter((lane) => this.#isSuspended(lane))
  }

  /**
   * True while no call of the lane's webhook target may start and no more deliveries of the lane
   * (queue of one target) should be claimed: the target is paused or suspended.
   */
  isBlocked(lane: string): boolean {
    return this.isPaused(lane) || this.#isSuspended(lane)
  }

  /** Lanes (target addresses) whose webhook target is paused or suspended. */
  blocked(): string[] {
    return [...new Set([...this.paused(), ...this.suspended()])]
  }

  onStart(lane: string): void {
    if (this.#optionsOf(lane).rate !== undefined) this.#stateOf(lane).limiter.take()
  }

  onEnd(lane: string, { responded, suspendMs = 0 }: TargetFeedback): void {
    if (responded && suspendMs <= 0 && !this.#lanes.has(lane)) return
    const { breaker } = this.#stateOf(lane)
    breaker.block(Math.min(suspendMs, maxRequestedSuspendMs))
    if (responded) breaker.success()
    else breaker.failure()
  }

  #isSuspended(lane: string): boolean {
    return this.#lanes.get(lane)?.breaker.isOpen === true
  }

  #stateOf(lane: string): LaneThrottle {
    const existing = this.#lanes.get(lane)
    if (existing) return existing
    if (this.#lanes.size >= maxStates) this.#dropIdle()
    const clock = this.#clock
    const breaker = new CircuitBreaker({
      failureThreshold: suspendThreshold,
      openMs: this.#openMs,
      // A late success of an earlier call must not shorten the suspension of a webhook target.
      successCloses: false,
      clock,
    })
    const perSecond = () => this.#optionsOf(lane).rate ?? Infinity
    const throttle = { breaker, limiter: new RateLimiter({ perSecond, toleranceMs, clock }) }
    this.#lanes.set(lane, throttle)
    return throttle
  }

  #dropIdle(): void {
    for (const [lane, { breaker, limiter }] of this.#lanes)
      if (breaker.isIdle && limiter.isIdle) this.#lanes.delete(lane)
  }
}
