import { type Permit, Semaphore } from './semaphore.ts'

/**
 * Semaphore per key, created when the key is first used and dropped when the key is idle. Keys do
 * not affect each other. For each key, the rules of `Semaphore` apply.
 */
export class KeyedSemaphore<K = string> {
  readonly #capacityOf: (key: K) => number
  readonly #semaphores = new Map<K, Semaphore>()

  /**
   * Creates a semaphore per key. If `capacity` is a function, it is called whenever an idle key is
   * used again.
   */
  constructor(capacity: number | ((key: K) => number)) {
    this.#capacityOf = typeof capacity === 'function' ? capacity : () => capacity
  }

  /** Number of keys of the semaphore that have a taken permit or a waiting caller. */
  get size(): number {
    return this.#semaphores.size
  }

  /** Number of free permits (or free weight) of the key's semaphore. */
  available(key: K): number {
    return this.#semaphores.get(key)?.available ?? this.#capacityOf(key)
  }

  /** Number of callers that are waiting for a permit of the key's semaphore. */
  waiting(key: K): number {
    return this.#semaphores.get(key)?.waiting ?? 0
  }

  /**
   * Takes a permit of the key's semaphore. Undefined if no permit is free, or if other callers are
   * waiting.
   */
  tryAcquire(key: K, weight = 1): Permit | undefined {
    return this.#use(key, (semaphore) => semaphore.tryAcquire(weight))
  }

  /** Waits for a permit of the key's semaphore, like `Semaphore.acquire`. */
  acquire(key: K, signal?: AbortSignal, weight = 1): Promise<Permit> {
    return this.#use(key, (semaphore) => semaphore.acquire(signal, weight))
  }

  /**
   * Waits for a permit of the key's semaphore, runs `work` and releases the permit, even if `work`
   * fails.
   */
  async run<T>(key: K, work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    using _permit = this.tryAcquire(key) ?? (await this.acquire(key, signal))
    return await work()
  }

  /**
   * Calls a function with the semaphore of the key. Afterwards removes the semaphore from memory if
   * it is idle.
   */
  #use<R>(key: K, call: (semaphore: Semaphore) => R): R {
    const existing = this.#semaphores.get(key)
    if (existing) return call(existing)
    const semaphore = new Semaphore(this.#capacityOf(key), () => this.#semaphores.delete(key))
    const result = call(semaphore)
    if (!semaphore.isIdle) this.#semaphores.set(key, semaphore)
    return result
  }
}
