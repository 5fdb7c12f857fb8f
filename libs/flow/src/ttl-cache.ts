import { LRUCache } from 'lru-cache'
import { type Clock, monotonicClock } from './clock.ts'

/** Options of a cache. `max` or `maxSize` must be set, to limit the size of the cache. */
export type TtlCacheOptions<K, V> = {
  /** Lifetime of a cache entry in milliseconds. By default, entries do not expire. */
  ttlMs?: number
  /**
   * Clock by which cache entries expire. Defaults to the monotonic clock. Use `Date.now` if entries
   * expire at a date.
   */
  clock?: Clock
} & (
  | { max: number; maxSize?: never; sizeOf?: never }
  | {
      max?: number
      /**
       * Maximum sum of the sizes of all cache entries. An entry larger than the maximum is not
       * stored.
       */
      maxSize: number
      /** Returns the size of a cache entry, which must be at least 1. */
      sizeOf: (value: V, key: K) => number
    }
)

export interface LoadOptions<V> {
  /**
   * Returns true if the loaded result may be stored in the cache. By default, every result is
   * stored.
   */
  storeIf?: (value: V) => boolean
  /**
   * Returns the time at which a loaded entry expires, by the clock of the cache. By default,
   * `ttlMs` after the start of the load.
   */
  expiresAt?: (value: V) => number
}

interface Entry<V> {
  value: V
  expiresAt: number
}

interface Load<V> {
  promise: Promise<V>
  expiresAt: number
}

/**
 * Cache with expiry and limited size, which evicts the least recently used entry. An entry is valid
 * before its expiry time, and no longer valid exactly at this time. Expired entries are removed
 * when they are read or evicted. The cache has no timer and need not be disposed.
 */
export class TtlCache<K extends NonNullable<unknown>, V> {
  readonly #entries: LRUCache<K, Entry<V>>
  readonly #loads = new Map<K, Load<V>>()
  readonly #ttlMs: number
  readonly #clock: Clock

  constructor({ ttlMs = Infinity, clock = monotonicClock, ...bounds }: TtlCacheOptions<K, V>) {
    this.#ttlMs = ttlMs
    this.#clock = clock
    const { max, maxSize, sizeOf } = bounds
    this.#entries = new LRUCache<K, Entry<V>>({
      ...(max === undefined ? {} : { max }),
      ...(maxSize === undefined ? {} : { maxSize }),
      ...(sizeOf && { sizeCalculation: ({ value }, key) => Math.max(1, sizeOf(value, key)) }),
    } as LRUCache.Options<K, Entry<V>, unknown>)
  }

  /** Number of entries in the cache, including expired entries. */
  get size(): number {
    return this.#entries.size
  }

  /** Returns the valid cache entry of the key. Reading makes the entry the most recently used. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#isValid(entry)) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /**
   * True if the cache has a valid entry for the key. The check does not count as use of the entry.
   */
  has(key: K): boolean {
    const entry = this.#entries.peek(key)
    return entry !== undefined && this.#isValid(entry)
  }

  /**
   * Stores or replaces a cache entry. If the key is being loaded, the loaded result will not be
   * stored.
   */
  set(key: K, value: V, expiresAt = this.#defaultExpiry()): void {
    this.#loads.delete(key)
    this.#entries.set(key, { value, expiresAt })
  }

  /**
   * Returns the valid cache entry of the key. Without a valid entry, stores and returns the result
   * of `create`.
   */
  getOrCreate(key: K, create: () => V): V {
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#isValid(entry)) return entry.value
    const value = create()
    this.set(key, value)
    return value
  }

  /**
   * Returns the valid cache entry of the key, or the result of `loader`. Concurrent callers share
   * one load, unless the load started at least `ttlMs` ago. Errors are not stored. If the key is
   * invalidated during a load, waiting callers get the result of the load, but it is not stored.
   */
  load(key: K, loader: () => Promise<V>, options: LoadOptions<V> = {}): Promise<V> {
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#isValid(entry)) return Promise.resolve(entry.value)
    const load = this.#loads.get(key)
    if (load !== undefined && this.#isValid(load)) return load.promise
    return this.#start(key, loader, options)
  }

  /** Removes a cache entry. Returns true if the cache had an entry for the key. */
  delete(key: K): boolean {
    this.#loads.delete(key)
    return this.#entries.delete(key)
  }

  /** Removes the cache entries whose key matches. */
  deleteIf(matches: (key: K) => boolean): void {
    for (const key of this.#loads.keys()) if (matches(key)) this.#loads.delete(key)
    for (const key of Array.from(this.#entries.keys())) if (matches(key)) this.#entries.delete(key)
  }

  clear(): void {
    this.#loads.clear()
    this.#entries.clear()
  }

  #start(key: K, loader: () => Promise<V>, { storeIf, expiresAt }: LoadOptions<V>): Promise<V> {
    const load: Load<V> = { promise: loader(), expiresAt: this.#defaultExpiry() }
    this.#loads.set(key, load)
    const finish = (value: V) => {
      if (this.#loads.get(key) !== load) return
      this.#loads.delete(key)
      if (storeIf?.(value) === false) return
      this.set(key, value, expiresAt ? expiresAt(value) : load.expiresAt)
    }
    const fail = () => {
      if (this.#loads.get(key) === load) this.#loads.delete(key)
    }
    load.promise = load.promise.then(
      (value) => {
        finish(value)
        return value
      },
      (error: unknown) => {
        fail()
        throw error
      },
    )
    return load.promise
  }

  #defaultExpiry(): number {
    return this.#ttlMs === Infinity ? Infinity : this.#clock() + this.#ttlMs
  }

  #isValid({ expiresAt }: { expiresAt: number }): boolean {
    return expiresAt === Infinity || this.#clock() < expiresAt
  }
}
