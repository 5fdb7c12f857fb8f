/**
 * Work that waits, by whose it is. Those that wait take turns, and nobody holds more than `maxRunning` places at once: one who brings
 * a thousand slow jobs is in nobody's way but their own.
 */
export class FairQueue<T> {
  readonly #maxRunning: number
  /** In the order of their turns. */
  readonly #waiting = new Map<string, T[]>()
  readonly #running = new Map<string, number>()

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  add(lane: string, item: T): void {
    const items = this.#waiting.get(lane)
    if (items) items.push(item)
    else this.#waiting.set(lane, [item])
  }

  /** The next one that may run; it counts as running until it is `done`. */
  take(): { lane: string; item: T } | undefined {
    for (const [lane, items] of this.#waiting) {
      const running = this.#running.get(lane) ?? 0
      if (running >= this.#maxRunning) continue
      const item = items.shift() as T
      this.#waiting.delete(lane)
      if (items.length > 0) this.#waiting.set(lane, items)
      this.#running.set(lane, running + 1)
      return { lane, item }
    }
    return undefined
  }

  done(lane: string): void {
    const left = (this.#running.get(lane) ?? 0) - 1
    if (left > 0) this.#running.set(lane, left)
    else this.#running.delete(lane)
  }

  /** Everything that waits, which then does not any more. */
  clear(): T[] {
    const items = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    return items
  }
}
