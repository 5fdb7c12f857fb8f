/** How many hold a place at once, by key. */
export class Places {
  readonly #taken = new Map<string, number>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** A place until it is disposed, or undefined when all are taken. */
  take(key: string): Disposable | undefined {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= this.#max) return undefined
    this.#taken.set(key, taken + 1)
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (held) this.#free(key)
        held = false
      },
    }
  }

  #free(key: string): void {
    const left = (this.#taken.get(key) ?? 1) - 1
    if (left > 0) this.#taken.set(key, left)
    else this.#taken.delete(key)
  }
}
