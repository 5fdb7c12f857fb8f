import { type Clock, TtlCache } from '@posthorn/flow'

/**
 * Time for which requests are sent to the direct queue of the same responder. Afterwards requests
 * go to the shared queue again, so that new replicas get their share of requests.
 */
const ttlMs = 30_000
/**
 * Maximum number of entries of the cache. Each entry maps a shared queue to the direct queue of a
 * process that serves the shared queue. The number of shared queues is small.
 */
const maxKeys = 16

/**
 * Cache of the direct queues of responders in RabbitMQ, by the key of the shared queue that a
 * responder serves. A request to a direct queue does not wait for a disk, but is lost if its
 * responder dies. Responders report their direct queue in replies.
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
   * Stores the direct queue of a responder by the key of its shared queue. Does nothing if a direct
   * queue is stored for the key and has not expired.
   */
  set(key: string, queue: string): void {
    if (!this.#queues.has(key)) this.#queues.set(key, queue)
  }

  /**
   * Removes the direct queue `queue` that is stored for the key of a shared queue. Does nothing if
   * a different direct queue is stored for the key.
   */
  evict(key: string, queue: string): void {
    if (this.#queues.get(key) === queue) this.#queues.delete(key)
  }
}
