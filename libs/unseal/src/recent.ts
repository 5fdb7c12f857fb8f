/** What was used last, by name. Of more than there is room for, those are forgotten that were not used for longest. */
export class Recent<T> {
  readonly #known = new Map<string, T>()
  readonly #maxCharacters: number
  #characters = 0

  /** Room is counted in characters of names: what is known by a name is to be of about its size, or small. */
  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  get(name: string): T | undefined {
    const known = this.#known.get(name)
    if (known !== undefined) {
      // Those used last are the last in order.
      this.#known.delete(name)
      this.#known.set(name, known)
    }
    return known
  }

  set(name: string, value: T): void {
    this.delete(name)
    this.#known.set(name, value)
    this.#characters += name.length
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= this.#maxCharacters) break
      this.delete(oldest)
    }
  }

  delete(name: string): void {
    if (this.#known.delete(name)) this.#characters -= name.length
  }
}
