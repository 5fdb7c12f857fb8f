import { KeyedSemaphore } from './keyed-semaphore.ts'

/**
 * Locks by key: one FIFO lock per key. A key without owner and waiting caller takes no memory. Not
 * reentrant.
 */
export class KeyedMutex<K = string> extends KeyedSemaphore<K> {
  constructor() {
    super(1)
  }
}
