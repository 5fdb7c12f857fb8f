import { KeyedSemaphore } from './keyed-semaphore.ts'

/**
 * Mutex per key: for each key, only one caller at a time holds the lock, in FIFO order. A key
 * without a holder and without waiting callers takes no memory. Not reentrant.
 */
export class KeyedMutex<K = string> extends KeyedSemaphore<K> {
  constructor() {
    super(1)
  }
}
