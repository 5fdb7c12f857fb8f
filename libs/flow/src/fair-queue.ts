import { QueueFullError } from './queue-full-error.ts'

export interface FairQueueOptions<K> {
  /**
   * Maximum number of items per key of the fair queue that run concurrently: a number, or a
   * function that is called whenever the limit is needed.
   */
  maxRunningPerKey: number | ((key: K) => number)
  /**
   * Maximum number of items of the fair queue that run concurrently, for all keys together.
   * Defaults to no limit.
   */
  maxRunning?: number
  /**
   * Maximum number of items that wait in the fair queue, for all keys together. Defaults to no
   * limit.
   */
  maxWaiting?: number
}

/**
 * Item that was taken from a fair queue. The item counts as running until this object is disposed.
 */
export interface RunningItem<T, K> extends Disposable {
  readonly key: K
  readonly item: T
}

interface KeyQueue<T> {
  items: T[]
  running: number
}

/**
 * Fair queue: serves its keys round-robin, and the items of one key in FIFO order. A key with many
 * or slow items does not delay other keys. `take` needs constant time, regardless of the number of
 * waiting keys.
 */
export class FairQueue<T, K = string> {
  readonly #limitOf: (key: K) => number
  readonly #maxRunning: number
  readonly #maxWaiting: number
  readonly #queues = new Map<K, KeyQueue<T>>()
  /**
   * Keys of the fair queue that have a waiting item and may run another item, in the order in which
   * the queue will serve them.
   */
  readonly #ready = new Set<K>()
  #running = 0
  #waiting = 0

  constructor(options: FairQueueOptions<K>) {
    const { maxRunningPerKey, maxRunning = Infinity, maxWaiting = Infinity } = options
    this.#limitOf =
      typeof maxRunningPerKey === 'function' ? maxRunningPerKey : () => maxRunningPerKey
    this.#maxRunning = maxRunning
    this.#maxWaiting = maxWaiting
  }

  /** Number of waiting items in the fair queue. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Appends an item to the fair queue.
   * @throws QueueFullError if `maxWaiting` items are waiting already
   */
  add(key: K, item: T): void {
    if (this.#waiting >= this.#maxWaiting) throw new QueueFullError(this.#maxWaiting)
    let queue = this.#queues.get(key)
    if (!queue) this.#queues.set(key, (queue = { items: [], running: 0 }))
    queue.items.push(item)
    this.#waiting += 1
    this.refresh(key)
  }

  /**
   * Takes the next item from the fair queue. Undefined if no item is waiting, or if the limits
   * permit no further item.
   */
  take(): RunningItem<T, K> | undefined {
    if (this.#running >= this.#maxRunning) return undefined
    for (const key of this.#ready) {
      this.#ready.delete(key)
      const queue = this.#queues.get(key)
      // A key of the fair queue is skipped if its limit has become lower since the key was added to
      // the ready keys.
      if (!queue || queue.running >= this.#limitOf(key)) continue
      const item = queue.items.shift() as T
      queue.running += 1
      this.#running += 1
      this.#waiting -= 1
      this.refresh(key)
      return this.#runningItem(key, item)
    }
    return undefined
  }

  /**
   * Removes a waiting item from the fair queue. Returns false if the queue does not contain the
   * item.
   */
  remove(key: K, item: T): boolean {
    const queue = this.#queues.get(key)
    const index = queue?.items.indexOf(item) ?? -1
    if (!queue || index === -1) return false
    queue.items.splice(index, 1)
    this.#waiting -= 1
    if (queue.items.length === 0) this.#ready.delete(key)
    this.refresh(key)
    return true
  }

  /**
   * Checks again whether a key of the fair queue may run another item. Call this method after the
   * limit of the key has changed.
   */
  refresh(key: K): void {
    const queue = this.#queues.get(key)
    if (!queue) return
    if (queue.items.length > 0) {
      if (queue.running < this.#limitOf(key)) this.#ready.add(key)
    } else if (queue.running === 0) this.#queues.delete(key)
  }

  /** Removes and returns all waiting items of the fair queue. Running items are unaffected. */
  clear(): T[] {
    const items: T[] = []
    for (const [key, queue] of this.#queues) {
      items.push(...queue.items.splice(0))
      if (queue.running === 0) this.#queues.delete(key)
    }
    this.#ready.clear()
    this.#waiting = 0
    return items
  }

  #runningItem(key: K, item: T): RunningItem<T, K> {
    let isRunning = true
    return {
      key,
      item,
      [Symbol.dispose]: () => {
        if (!isRunning) return
        isRunning = false
        this.#finish(key)
      },
    }
  }

  #finish(key: K): void {
    this.#running -= 1
    const queue = this.#queues.get(key)
    if (queue) queue.running -= 1
    this.refresh(key)
  }
}
