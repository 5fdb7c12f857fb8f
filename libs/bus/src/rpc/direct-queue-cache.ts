import { type Clock, TtlCache } from '@posthorn/flow'

/**
 * Time after which requests go to the shared queue again instead of a direct queue, so that new
 * replicas get their share.
 */
const ttlMs = 30_000
/** Maximum number of cached direct queues. There are few shared queues, and each has one entry. */
const maxKeys = 16

/**
 * Direct queues of responders in RabbitMQ, by the key of the shared queue that they serve. A
 * request to a direct queue waits for no disk and is lost with its responder. Responders report
 * their direct queue in replies.
 */
export class DirectQueueCache {
  readonly #queues: TtlCache<string, string>

  constructor(clock?: Clock) {
    this.#queues = new TtlCache({ ttlMs, max: maxKeys, ...(clock && { clock }) })
  }

  find(key: string): string | undefined {
    return this.#queues.get(key)
  }

  /**
   * Stores a direct queue unless the key has a direct queue: the first queue stays until it
   * expires.
   */
  set(key: string, queue: string): void {
    if (!this.#queues.has(key)) this.#queues.set(key, queue)
  }

  /** Removes the direct queue of the key, unless another queue was stored meanwhile. */
  evict(key: string, queue: string): void {
    if (this.#queues.get(key) === queue) this.#queues.delete(key)
  }
}
