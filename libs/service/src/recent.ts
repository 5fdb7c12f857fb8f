/** What was used last, by name. Of more than there is room for, those are forgotten that were not used for longest. */
export class Recent<T> {
  readonly #known = new Map<string, T>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(name: string): T | undefined {
    const known = this.#known.get(name)
    if (known !== undefined) this.#use(name, known)
    return known
  }

  set(name: string, value: T): void {
    this.#use(name, value)
    const [oldest] = this.#known.size > this.#max ? this.#known.keys() : []
    if (oldest !== undefined) this.#known.delete(oldest)
  }

  delete(name: string): void {
    this.#known.delete(name)
  }

  /** Those used last are the last in order. */
  #use(name: string, value: T): void {
    this.#known.delete(name)
    this.#known.set(name, value)
  }
}
