export interface BatcherOptions<Item, Result> {
  /** Processes a batch of items. Returns one result per item, in the order of the items. */
  run: (items: Item[]) => Promise<readonly Result[]>
  /** Maximum items of one batch of merged calls. Default 100. */
  maxItems?: number
  /** Time that a batch that is not full waits for more items. Default 0: one event loop turn. */
  lingerMs?: number
  /**
   * True if a failed batch is to be run again item by item. Default: all calls of the batch reject.
   */
  isolates?: (error: unknown) => boolean
}

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Merges concurrent calls into few large calls (batches), such as statements with one commit.
 *
 * Batches run one after the other, in FIFO order. Items added during a batch go into the next
 * batch. Nothing is cancelled: a caller that stops waiting does not withdraw its item.
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

  /** Number of items of the batcher that are not part of a batch yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Adds an item to the next batch. Resolves to the item's result when its batch is done; rejects
   * if the batch failed.
   */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#running ??= this.#runAll()
    })
  }

  /** Resolves when no item of the batcher waits or runs. Never rejects. */
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
