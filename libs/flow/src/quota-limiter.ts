import { type Clock, monotonicClock } from './clock.ts'
import { QueueFullError } from './queue-full-error.ts'
import {
  callDelayMs,
  createKey,
  firstOf,
  type KeyState,
  lentPerCallUnit,
  type Loan,
  timerMs,
  type Waiter,
} from './quota-key.ts'
import { RateLimitedError } from './rate-limited-error.ts'
import type { Permit } from './semaphore.ts'
import { type BucketStart, type QuotaRate, UnitBucket } from './unit-bucket.ts'

/** Quota of one limiter key: a number of units per time, and a number of concurrent calls. */
export type KeyQuota = QuotaRate & { concurrent: number }

export interface QuotaLimiterOptions<K = string> {
  /** Quota of each limiter key, or a function that is called whenever units are taken. */
  perKey: KeyQuota | (() => KeyQuota)
  /** Quota of all limiter keys together, or a function called whenever units are taken. */
  total: QuotaRate | (() => QuotaRate)
  /** Number of priorities that calls may have in the quota limiter. 0 is the highest priority. */
  priorities: number
  /** Maximum number of calls that wait for quota, per key and priority. */
  maxWaiting: number
  /**
   * Returns the units that a key had at an earlier time, if another process used the key's quota
   * before that time. Undefined if no process used the quota, so that the full burst is available.
   */
  startOf?: (key: K) => BucketStart | undefined
  clock?: Clock
}

export interface QuotaRequest {
  units: number
  /**
   * Number of concurrent calls as which the call counts in the quota limiter. Defaults to 1.
   * Numbers above `concurrent` count as `concurrent`.
   */
  slots?: number | undefined
  priority: number
  /** Maximum time for which a call may wait for its quota units. Defaults to no limit. */
  maxWaitMs?: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * Limiter of units per time and concurrent calls per key, and of units per time for all keys
 * together.
 *
 * Priorities are strict, within a key and among keys: a call waits only for running calls and for
 * calls of its own or a higher priority. Within a priority, calls of a key are FIFO and keys take
 * turns. A call takes units only when both limits permit it. Operations take constant time.
 * Disposal is not needed: timers exist only while calls wait or until unused keys are removed.
 */
export class QuotaLimiter<K = string> {
  readonly #options: QuotaLimiterOptions<K>
  readonly #perKey: () => KeyQuota
  readonly #clock: Clock
  readonly #total: UnitBucket
  readonly #keys = new Map<K, KeyState<K>>()
  readonly #rings: Set<KeyState<K>>[]
  #pausedUntil = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: QuotaLimiterOptions<K>) {
    const { perKey, total, priorities, clock = monotonicClock } = options
    this.#options = options
    this.#perKey = asFunction(perKey)
    this.#clock = clock
    this.#total = new UnitBucket(asFunction(total), clock)
    this.#rings = Array.from({ length: priorities }, () => new Set())
  }

  /** Number of limiter keys in memory: in use, paused, or with used quota units. */
  get size(): number {
    return this.#keys.size
  }

  /**
   * Waits for a call's quota units and a permit. Dispose of the permit at the end of the call.
   *
   * @throws RateLimitedError if the call waits, or would wait, for longer than `maxWaitMs`;
   * QueueFullError; the signal's reason. After an error, no units and no permit were taken.
   */
  acquire(key: K, request: QuotaRequest): Promise<Permit> {
    const { units, priority, maxWaitMs = Infinity, signal } = request
    const slots = Math.min(request.slots ?? 1, this.#perKey().concurrent)
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const state = this.#stateOf(key)
    const waiting = state.waiting[priority] as Set<Waiter>
    const expectedMs = this.#expectedWaitMs(state, request)
    const isFull = waiting.size >= this.#options.maxWaiting
    if (expectedMs > maxWaitMs || isFull) {
      this.#update(state)
      return Promise.reject(
        isFull ? new QueueFullError(this.#options.maxWaiting) : new RateLimitedError(expectedMs),
      )
    }
    const addWaitingUnits = (delta: number) => {
      state.waitingUnits[priority] = (state.waitingUnits[priority] ?? 0) + delta
    }
    return new Promise<Permit>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        waiting.delete(waiter)
        addWaitingUnits(-units)
      }
      const fail = (error: Error) => {
        settle()
        reject(error)
        this.#update(state)
      }
      const onAbort = () => fail(signal?.reason as Error)
      const onTimeout = () => fail(new RateLimitedError(this.#retryAfterMs(state, request)))
      const timer = maxWaitMs === Infinity ? undefined : setTimeout(onTimeout, timerMs(maxWaitMs))
      const waiter: Waiter = {
        units,
        slots,
        priority,
        admit: () => {
          settle()
          resolve(this.#take(state, waiter))
        },
      }
      waiting.add(waiter)
      addWaitingUnits(units)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#update(state)
    })
  }

  /** Pauses a key of the limiter for `ms` ms: no call of the key starts (`Retry-After` header). */
  pause(key: K, ms: number): void {
    const state = this.#stateOf(key)
    state.pausedUntil = Math.max(state.pausedUntil, this.#clock() + ms)
    this.#update(state)
  }

  /** Runs the calls of a limiter key one at a time for `ms` ms, regardless of their `slots`. */
  narrow(key: K, ms: number): void {
    const state = this.#stateOf(key)
    state.narrowUntil = Math.max(state.narrowUntil, this.#clock() + ms)
    this.#update(state)
  }

  /** Number of calls with a key of the quota limiter that may currently run at the same time. */
  concurrency(key: K): number {
    const { narrowUntil = -Infinity } = this.#keys.get(key) ?? {}
    return this.#clock() < narrowUntil ? 1 : this.#perKey().concurrent
  }

  /** Pauses all keys of the limiter for `ms` ms. Returns how much longer the pause became. */
  pauseAll(ms: number): number {
    const now = this.#clock()
    const before = Math.max(this.#pausedUntil, now)
    this.#pausedUntil = Math.max(before, now + ms)
    return this.#pausedUntil - before
  }

  /**
   * Lends quota units of a key to another process, whose call may start after `delayMs`. Up to
   * `maxDebt` units are lent before they are available, so that the other process need not wait in
   * a queue. While calls of this process wait, they get a part of the units, see `lentPerCallUnit`.
   * The total quota of all keys is not affected.
   */
  lend(key: K, { units, maxDebt }: { units: number; maxDebt: number }): Loan {
    const state = this.#stateOf(key)
    const pauseMs = Math.max(0, this.#pauseMs(state))
    const debtMs = state.bucket.delayOfAllMs(units - maxDebt)
    const refusalMs = Math.max(pauseMs, debtMs, callDelayMs(state))
    const isGranted = refusalMs === 0
    const delayMs = isGranted ? state.bucket.delayOfAllMs(units) : refusalMs
    if (isGranted) {
      state.bucket.take(units)
      state.lentUnits += units
    }
    this.#update(state)
    return { isGranted, delayMs, pauseMs }
  }

  #stateOf(key: K): KeyState<K> {
    const start = this.#options.startOf?.(key)
    const state = this.#keys.get(key) ?? this.#addKey(key)
    if (start !== undefined && start.at !== state.startedAt) {
      state.startedAt = start.at
      state.bucket.restart(start)
    }
    return state
  }

  #addKey(key: K): KeyState<K> {
    const bucket = new UnitBucket(this.#perKey, this.#clock)
    const state = createKey(key, bucket, this.#options.priorities)
    this.#keys.set(key, state)
    return state
  }

  #take(state: KeyState<K>, { units, slots, priority }: Waiter): Permit {
    state.bucket.take(units)
    this.#total.take(units)
    state.lentUnits = Math.max(0, state.lentUnits - units * lentPerCallUnit(priority))
    state.running += slots
    let isRunning = true
    return {
      [Symbol.dispose]: () => {
        if (!isRunning) return
        isRunning = false
        state.running -= slots
        this.#update(state)
      },
    }
  }

  /** Minimum wait of a call in the limiter: for pauses, and for the units of calls before it. */
  #expectedWaitMs(state: KeyState<K>, { units, priority }: QuotaRequest): number {
    const before = state.waitingUnits.slice(0, priority + 1).reduce((sum, each) => sum + each, 0)
    return Math.max(this.#pauseMs(state), state.bucket.delayOfAllMs(before + units), 0)
  }

  #retryAfterMs(state: KeyState<K>, request: QuotaRequest): number {
    const totalMs = this.#total.delayMs(request.units)
    return Math.max(this.#expectedWaitMs(state, request), totalMs, 1)
  }

  #pauseMs(state: KeyState<K>): number {
    return Math.max(state.pausedUntil, this.#pausedUntil) - this.#clock()
  }

  /**
   * Updates a key of the limiter after a possible change, and starts the calls that are ready now.
   * A key that became ready has no timer any more, so each update has to start ready calls.
   */
  #update(state: KeyState<K>): void {
    this.#refresh(state)
    this.#admit()
  }

  /** Updates the timer of a limiter key and its place among ready keys, or drops an unused key. */
  #refresh(state: KeyState<K>): void {
    clearTimeout(state.timer)
    const first = firstOf(state)
    const units = first?.units ?? this.#perKey().burst
    const delayMs = Math.max(state.pausedUntil - this.#clock(), state.bucket.delayMs(units))
    const isReady = first !== undefined && delayMs <= 0 && this.#hasPermit(state, first)
    this.#moveTo(state, isReady ? first.priority : undefined)
    const nextMs = delayMs > 0 || isReady ? delayMs : state.narrowUntil - this.#clock()
    if (nextMs <= 0) return this.#dropUnused(state)
    state.timer = setTimeout(() => this.#update(state), timerMs(nextMs))
    // In the quota limiter, the timer of a key without waiting calls only removes the key, which
    // need not keep Node alive.
    if (first === undefined) state.timer.unref()
  }

  #dropUnused(state: KeyState<K>): void {
    if (firstOf(state) === undefined && state.running === 0) this.#keys.delete(state.key)
  }

  #hasPermit({ key, running }: KeyState<K>, { slots }: Waiter): boolean {
    const concurrent = this.concurrency(key)
    return running + Math.min(slots, concurrent) <= concurrent
  }

  #moveTo(state: KeyState<K>, ring: number | undefined): void {
    if (state.ring === ring) return
    if (state.ring !== undefined) this.#rings[state.ring]?.delete(state)
    if (ring !== undefined) this.#rings[ring]?.add(state)
    state.ring = ring
  }

  /** Starts waiting calls until the quota of all keys is used up: by priority, and keys in turn. */
  #admit(): void {
    clearTimeout(this.#timer)
    for (const ring of this.#rings)
      for (const state of ring) {
        const first = firstOf(state) as Waiter
        const delayMs = Math.max(
          this.#pausedUntil - this.#clock(),
          this.#total.delayMs(first.units),
        )
        if (delayMs > 0) {
          this.#timer = setTimeout(() => this.#admit(), timerMs(delayMs))
          return
        }
        this.#moveTo(state, undefined)
        first.admit()
        this.#refresh(state)
      }
  }
}

function asFunction<T extends object>(value: T | (() => T)): () => T {
  return typeof value === 'function' ? value : () => value
}
