/** One connection carries one command at a time: work is run in the order in which it came. */
export class Lane {
  #tail: Promise<void> = Promise.resolve()
  #waiting = 0
  #running = false
  #wanted: (() => void) | undefined

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#tail = promise
    this.#waiting++
    this.#wanted?.()
    await before
    this.#waiting--
    this.#running = true
    try {
      return await work()
    } finally {
      this.#running = false
      resolve()
    }
  }

  /** Whether work waits for the one that runs now. */
  get wanted(): boolean {
    return this.#waiting > 0
  }

  /** Whether nothing runs and nothing waits. */
  get free(): boolean {
    return !this.#running && this.#waiting === 0
  }

  /** Calls once as soon as other work waits for the one that runs now, which may be at once. Undo with the function returned. */
  onWanted(call: () => void): () => void {
    this.#wanted = call
    if (this.wanted) call()
    return () => (this.#wanted = undefined)
  }
}
