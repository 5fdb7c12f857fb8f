import { type Permit, Semaphore, type SemaphoreOptions } from './semaphore.ts'

/** Lock for one owner at a time, FIFO. Not reentrant: acquiring it twice in one flow deadlocks. */
export class Mutex {
  readonly #semaphore: Semaphore
  #onContended: (() => void) | undefined

  constructor(options: SemaphoreOptions = {}) {
    this.#semaphore = new Semaphore(1, options)
  }

  /** True if the mutex has no owner and no waiting caller. */
  get isIdle(): boolean {
    return this.#semaphore.isIdle
  }

  /** True if a caller waits for the present owner. */
  get isContended(): boolean {
    return this.#semaphore.waiting > 0
  }

  /** Lock, or undefined if it is taken. */
  tryAcquire(): Permit | undefined {
    return this.#semaphore.tryAcquire()
  }

  /** Waits for the lock. Rejects with the signal's reason; then the lock was not taken. */
  acquire(signal?: AbortSignal): Promise<Permit> {
    const permit = this.#semaphore.acquire(signal)
    if (this.isContended) this.#onContended?.()
    return permit
  }

  /** Runs `work` while it owns the lock. */
  async run<T>(work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    using _permit = this.tryAcquire() ?? (await this.acquire(signal))
    return await work()
  }

  /**
   * Calls `listener` whenever a caller starts to wait, and immediately if one waits already. Lets
   * an owner of long duration give way. At most one listener; disposing removes it.
   */
  onContended(listener: () => void): Disposable {
    this.#onContended = listener
    if (this.isContended) listener()
    return {
      [Symbol.dispose]: () => {
        if (this.#onContended === listener) this.#onContended = undefined
      },
    }
  }
}
