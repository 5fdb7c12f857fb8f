/** So long one process is asked, until those that have come since get their share. */
const knownMs = 30_000

/**
 * Where those can be asked directly who answer a queue that is written to disk: what they are asked there waits for no disk, and is lost
 * with them. They tell it with their answers.
 */
export class Directions {
  readonly #known = new Map<string, { queue: string; until: number }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  find(key: string): string | undefined {
    const known = this.#known.get(key)
    return known && known.until > this.#now() ? known.queue : undefined
  }

  /** The first that is heard of stays until its time is over, whoever else answers meanwhile. */
  learn(key: string, queue: string): void {
    if (this.find(key) === undefined) this.#known.set(key, { queue, until: this.#now() + knownMs })
  }

  /** Unless another one is known by now. */
  forget(key: string, queue: string): void {
    if (this.#known.get(key)?.queue === queue) this.#known.delete(key)
  }
}
