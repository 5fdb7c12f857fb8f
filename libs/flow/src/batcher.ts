export interface BatcherOptions<Item, Result> {
  /**
   * Function that processes a batch of items, such as rows to store. Returns one result per item,
   * in the order of the items.
   */
  run: (items: Item[]) => Promise<readonly Result[]>
  /** Maximum number of items in a batch of the batcher. Defaults to 100. */
  maxItems?: number
  /**
   * Time for which a batch with less than `maxItems` waits for more items. Defaults to 0: the batch
   * starts in the next turn of the event loop.
   */
  lingerMs?: number
  /**
   * Function that returns true if the items of the batcher's failed batch are to be processed one
   * by one. By default, all calls of a failed batch reject.
   */
  isolates?: (error: unknown) => boolean
}

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Batcher that merges concurrent calls into few larger calls (batches), such as SQL statements with
 * a single commit.
 *
 * Only one batch runs at a time, in FIFO order. Items that are added while a batch runs become part
 * of the next batch. An item cannot be withdrawn: it is processed even if its caller does not wait
 * any more.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  readonly #maxItems: number
  readonly #waiting: Waiting<Item, Result>[] = []
  #running: Promise<void> | undefined

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
    this.#maxItems = options.maxItems ?? 100
  }

  /** Number of items that wait in the batcher and are not yet part of a running batch. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Adds an item to the next batch of the batcher. Resolves with the item's result when the batch
   * is done. Rejects if the batch fails.
   */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#running ??= this.#runAll()
    })
  }

  /** Resolves when no item of the batcher is waiting or being processed. Never rejects. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < this.#maxItems) await this.#linger()
      const batch = this.#waiting.splice(0, this.#maxItems)
      await this.#runBatch(batch)
    }
    this.#running = undefined
  }

  #linger(): Promise<void> {
    const { lingerMs = 0 } = this.#options
    return new Promise((resolve) => {
      if (lingerMs > 0) setTimeout(resolve, lingerMs)
      else setImmediate(resolve)
    })
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length > 1 && this.#options.isolates?.(error) === true)
        await Promise.all(batch.map((waiting) => this.#runBatch([waiting])))
      else for (const { reject } of batch) reject(error)
    }
  }
}
