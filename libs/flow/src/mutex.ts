import { type Permit, Semaphore } from './semaphore.ts'

/**
 * Mutex: lock for one owner at a time, FIFO. Not reentrant: acquiring the lock twice in one flow
 * deadlocks.
 */
export class Mutex extends Semaphore {
  #onContended: (() => void) | undefined

  constructor() {
    super(1)
  }

  /** True if a caller waits for the present owner of the mutex. */
  get isContended(): boolean {
    return this.waiting > 0
  }

  /**
   * Waits for the lock of the mutex. Rejects with the signal's reason; then the lock was not taken.
   */
  override acquire(signal?: AbortSignal): Promise<Permit> {
    const permit = super.acquire(signal)
    if (this.isContended) this.#onContended?.()
    return permit
  }

  /**
   * Calls `listener` whenever a caller starts to wait for the mutex, and immediately if a caller
   * waits already. Lets an owner that holds the mutex for long give way. At most one listener;
   * disposing removes the listener.
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
