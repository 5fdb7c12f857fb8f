/**
 * Permit: capacity that was taken from a semaphore. Disposing of the permit returns the capacity. A
 * second disposal has no effect.
 */
export type Permit = Disposable

interface Waiter {
  weight: number
  admit: () => void
}

/**
 * Semaphore: a limited number of permits, or a limited weight such as bytes. Strictly FIFO: a
 * caller never overtakes a waiting caller, even if its own smaller weight would fit. A weight above
 * the capacity counts as the whole capacity. A capacity of 0 admits no caller. All operations take
 * constant time.
 */
export class Semaphore {
  readonly capacity: number
  readonly #waiters = new Set<Waiter>()
  readonly #onIdle: (() => void) | undefined
  #free: number

  /**
   * Creates a semaphore. `onIdle` is called when the last permit is returned and no caller is
   * waiting.
   */
  constructor(capacity: number, onIdle?: () => void) {
    this.capacity = capacity
    this.#free = capacity
    this.#onIdle = onIdle
  }

  /** Number of free permits of the semaphore, or free weight. */
  get available(): number {
    return this.#free
  }

  /** Number of callers that are waiting in `acquire` of the semaphore. */
  get waiting(): number {
    return this.#waiters.size
  }

  /** True if no permit of the semaphore is taken and no caller is waiting. */
  get isIdle(): boolean {
    return this.#free === this.capacity && this.#waiters.size === 0
  }

  /**
   * Takes a permit of the semaphore. Undefined if the free capacity is too small, or if other
   * callers are waiting.
   */
  tryAcquire(weight = 1): Permit | undefined {
    const cost = this.#cost(weight)
    return this.#canTake(cost) ? this.#take(cost) : undefined
  }

  /**
   * Waits for a permit of the semaphore. A free permit is taken synchronously. If `signal` aborts
   * first, rejects with its reason and takes no permit.
   */
  acquire(signal?: AbortSignal, weight = 1): Promise<Permit> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const cost = this.#cost(weight)
    if (this.#canTake(cost)) return Promise.resolve(this.#take(cost))
    return this.#wait(cost, signal)
  }

  /**
   * Waits for the whole capacity of the semaphore. Until the returned permit is disposed, no other
   * caller gets a permit.
   */
  acquireAll(signal?: AbortSignal): Promise<Permit> {
    return this.acquire(signal, this.capacity)
  }

  /**
   * Waits for a permit of the semaphore, runs `work` and releases the permit, even if `work` fails.
   */
  async run<T>(work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    using _permit = this.tryAcquire() ?? (await this.acquire(signal))
    return await work()
  }

  #cost(weight: number): number {
    return weight > this.capacity ? Math.max(1, this.capacity) : weight
  }

  #canTake(cost: number): boolean {
    return cost <= this.#free && this.#waiters.size === 0
  }

  #take(cost: number): Permit {
    this.#free -= cost
    return new TakenPermit(cost, this.#release)
  }

  #wait(cost: number, signal: AbortSignal | undefined): Promise<Permit> {
    return new Promise<Permit>((resolve, reject) => {
      const waiter: Waiter = {
        weight: cost,
        admit: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve(this.#take(cost))
        },
      }
      const onAbort = () => {
        this.#waiters.delete(waiter)
        reject(signal?.reason as Error)
        this.#admit()
      }
      this.#waiters.add(waiter)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  readonly #release = (cost: number): void => {
    this.#free += cost
    this.#admit()
    if (this.isIdle) this.#onIdle?.()
  }

  #admit(): void {
    for (const waiter of this.#waiters) {
      if (waiter.weight > this.#free) return
      this.#waiters.delete(waiter)
      waiter.admit()
    }
  }
}

class TakenPermit implements Permit {
  readonly #cost: number
  #release: ((cost: number) => void) | undefined

  constructor(cost: number, release: (cost: number) => void) {
    this.#cost = cost
    this.#release = release
  }

  [Symbol.dispose](): void {
    const release = this.#release
    this.#release = undefined
    release?.(this.#cost)
  }
}
