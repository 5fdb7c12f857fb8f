import { type Permit, Semaphore } from './semaphore.ts'

/**
 * Semaphores by key: one semaphore per key, created on first use and dropped when idle. Keys do not
 * affect each other; within a key the contract of `Semaphore` applies.
 */
export class KeyedSemaphore<K = string> {
  readonly #capacityOf: (key: K) => number
  readonly #semaphores = new Map<K, Semaphore>()

  /**
   * Creates semaphores by key. A function as `capacity` is evaluated whenever an idle key is used
   * again.
   */
  constructor(capacity: number | ((key: K) => number)) {
    this.#capacityOf = typeof capacity === 'function' ? capacity : () => capacity
  }

  /** Number of keys with a taken permit or a waiting caller. */
  get size(): number {
    return this.#semaphores.size
  }

  /** Free permits or weight of the key's semaphore. */
  available(key: K): number {
    return this.#semaphores.get(key)?.available ?? this.#capacityOf(key)
  }

  /** Number of callers waiting for a permit of the key. */
  waiting(key: K): number {
    return this.#semaphores.get(key)?.waiting ?? 0
  }

  /** Takes a permit of the key. Undefined if no permit is free or other callers wait. */
  tryAcquire(key: K, weight = 1): Permit | undefined {
    return this.#use(key, (semaphore) => semaphore.tryAcquire(weight))
  }

  /** Waits for a permit of the key, like `Semaphore.acquire`. */
  acquire(key: K, signal?: AbortSignal, weight = 1): Promise<Permit> {
    return this.#use(key, (semaphore) => semaphore.acquire(signal, weight))
  }

  /** Runs `work` with a permit of the key and releases the permit in every case. */
  async run<T>(key: K, work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    using _permit = this.tryAcquire(key) ?? (await this.acquire(key, signal))
    return await work()
  }

  /** Calls a function with the semaphore of the key, and drops an idle semaphore after the call. */
  #use<R>(key: K, call: (semaphore: Semaphore) => R): R {
    const existing = this.#semaphores.get(key)
    if (existing) return call(existing)
    const semaphore = new Semaphore(this.#capacityOf(key), () => this.#semaphores.delete(key))
    const result = call(semaphore)
    if (!semaphore.isIdle) this.#semaphores.set(key, semaphore)
    return result
  }
}
