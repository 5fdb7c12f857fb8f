import { type Permit, Semaphore } from './semaphore.ts'

/**
 * Mutex: a lock that one caller at a time holds, in FIFO order. Not reentrant: a caller that
 * acquires the lock twice waits forever.
 */
export class Mutex extends Semaphore {
  #onContended: (() => void) | undefined

  constructor() {
    super(1)
  }

  /** True if a caller waits until the current holder releases the mutex. */
  get isContended(): boolean {
    return this.waiting > 0
  }

  /**
   * Waits for the lock of the mutex. If `signal` aborts first, rejects with its reason and does not
   * take the lock.
   */
  override acquire(signal?: AbortSignal): Promise<Permit> {
    const permit = super.acquire(signal)
    if (this.isContended) this.#onContended?.()
    return permit
  }

  /**
   * Calls `listener` whenever a caller starts to wait for the mutex, and immediately if a caller is
   * already waiting. A holder that needs the mutex for long can then release it early. There is at
   * most one listener. Disposing of the result removes the listener.
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
