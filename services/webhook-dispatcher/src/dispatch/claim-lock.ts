import { Semaphore } from '@posthorn/flow'

/** More than the partitions that a process fans out concurrently. */
const maxShared = 1_000

/**
 * Readers-writer lock of the claims of this process, FIFO.
 *
 * A claim is decided by rows that belong to this process already, whether they are enqueued yet or
 * not. Fan-outs may claim concurrently: an account belongs to one partition. A poll claims due rows
 * of any account, so it runs alone; otherwise two claims could be enqueued in the wrong order.
 */
export class ClaimLock {
  readonly #permits = new Semaphore(maxShared)

  /** Runs a fan-out that claims the deliveries it inserts. */
  shared<T>(claim: () => Promise<T>): Promise<T> {
    return this.#permits.run(claim)
  }

  /** Runs a poll that claims due deliveries. */
  async exclusive<T>(claim: () => Promise<T>): Promise<T> {
    using _lock = await this.#permits.acquireAll()
    return await claim()
  }

  /** Resolves when the claims that started before the call are enqueued. Never rejects. */
  async idle(): Promise<void> {
    using _lock = await this.#permits.acquireAll()
  }
}
