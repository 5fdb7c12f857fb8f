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

/** Quota of one key: units per time and concurrent calls. */
export type KeyQuota = QuotaRate & { concurrent: number }

export interface QuotaLimiterOptions<K = string> {
  /** Quota of each key. A function is evaluated whenever units are taken. */
  perKey: KeyQuota | (() => KeyQuota)
  /** Quota of all keys together. A function is evaluated whenever units are taken. */
  total: QuotaRate | (() => QuotaRate)
  /** Number of priorities of calls; 0 is the highest priority. */
  priorities: number
  /** Maximum number of calls that wait for quota, per key and priority. */
  maxWaiting: number
  /**
   * Units that a key had at an earlier time, for keys whose quota another process used before that
   * time. Undefined: no process used the quota, so the burst is available.
   */
  startOf?: (key: K) => BucketStart | undefined
  clock?: Clock
}

export interface QuotaRequest {
  units: number
  /**
   * Concurrent calls that the requested call counts as; defaults to 1. More slots than `concurrent`
   * count as `concurrent`.
   */
  slots?: number | undefined
  priority: number
  /** Maximum time that the call may wait for its quota; default: no limit. */
  maxWaitMs?: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * Limits units per time and concurrent calls per key, and units per time of all keys together.
 *
 * Priorities are strict, within a key and among keys: a call waits only for running calls and for
 * calls of its own or a higher priority. Within a priority, calls of a key are FIFO and keys take
 * turns. A call waits for both limits together, so that it takes nothing while it waits. Operations
 * take constant time. Disposal is not needed: timers exist while calls wait, and until unused keys
 * are dropped.
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

  /** Number of keys in memory: keys in use, paused, or without all of their quota units. */
  get size(): number {
    return this.#keys.size
  }

  /**
   * Waits for the quota units of a call and for a permit; dispose of the permit at the end of the
   * call. The units are used up.
   *
   * @throws RateLimitedError if the wait exceeds `maxWaitMs` or is certain to; QueueFullError; the
   * signal's reason. Nothing was taken then.
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
      this.#refresh(state)
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
        this.#refresh(state)
        this.#admit()
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
      this.#refresh(state)
      this.#admit()
    })
  }

  /** Starts no call of the key for `ms`, as a server requests with `Retry-After`. */
  pause(key: K, ms: number): void {
    const state = this.#stateOf(key)
    state.pausedUntil = Math.max(state.pausedUntil, this.#clock() + ms)
    this.#refresh(state)
  }

  /** Starts calls of the key one by one for `ms`, whatever their slots. */
  narrow(key: K, ms: number): void {
    const state = this.#stateOf(key)
    state.narrowUntil = Math.max(state.narrowUntil, this.#clock() + ms)
    this.#refresh(state)
  }

  /** Number of calls of the key that may run now at a time. */
  concurrency(key: K): number {
    const { narrowUntil = -Infinity } = this.#keys.get(key) ?? {}
    return this.#clock() < narrowUntil ? 1 : this.#perKey().concurrent
  }

  /** Starts no call of any key for `ms` milliseconds. Returns the time by which the pause grew. */
  pauseAll(ms: number): number {
    const now = this.#clock()
    const before = Math.max(this.#pausedUntil, now)
    this.#pausedUntil = Math.max(before, now + ms)
    return this.#pausedUntil - before
  }

  /**
   * Takes units of a key for a call of another process, which may start after `delayMs`. Up to
   * `maxDebt` units are taken before they are available, so that a call needs no place in the
   * queue. While calls of this process wait, they get a part of the units, see `lentPerCallUnit`.
   * The total quota is not affected.
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
    this.#refresh(state)
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
        this.#refresh(state)
        this.#admit()
      },
    }
  }

  /** Lower bound of the wait of a call: the pauses, and the quota units of calls that go before. */
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

  /** Puts a key into the ring of its first waiting call, sets the key's timer, or drops the key. */
  #refresh(state: KeyState<K>): void {
    clearTimeout(state.timer)
    const first = firstOf(state)
    const units = first?.units ?? this.#perKey().burst
    const delayMs = Math.max(state.pausedUntil - this.#clock(), state.bucket.delayMs(units))
    const isReady = first !== undefined && delayMs <= 0 && this.#hasPermit(state, first)
    this.#moveTo(state, isReady ? first.priority : undefined)
    const nextMs = delayMs > 0 || isReady ? delayMs : state.narrowUntil - this.#clock()
    if (nextMs <= 0) return this.#dropUnused(state)
    state.timer = setTimeout(() => {
      this.#refresh(state)
      this.#admit()
    }, timerMs(nextMs))
    // The timer of a key without waiting calls only drops the key.
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

  /**
   * Starts waiting calls in the order of priority, and in turn, until the total quota is used up.
   */
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
