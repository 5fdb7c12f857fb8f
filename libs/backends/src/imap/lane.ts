/** One connection carries one command at a time: work is run in the order in which it came. */
export class Lane {
  #tail: Promise<void> = Promise.resolve()
  #waiting = 0
  #wanted: (() => void) | undefined

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#tail = promise
    this.#waiting++
    this.#wanted?.()
    await before
    this.#waiting--
    try {
      return await work()
    } finally {
      resolve()
    }
  }

  /** Calls once as soon as other work waits for the one that runs now, which may be at once. Undo with the function returned. */
  onWanted(call: () => void): () => void {
    this.#wanted = call
    if (this.#waiting > 0) call()
    return () => (this.#wanted = undefined)
  }
}
