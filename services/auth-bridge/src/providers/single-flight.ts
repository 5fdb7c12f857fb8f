export interface Kept<T> {
  value: T
  /** Epoch milliseconds after which it is asked for again. */
  until: number
}

/** Answers by key: at most one question under way for each, answers kept as long as they say. Failures are not kept. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>()
  readonly #kept = new Map<string, Kept<T>>()
  readonly #maxKept: number
  readonly #now: () => number

  constructor({ maxKept = 10_000, now = Date.now }: { maxKept?: number; now?: () => number } = {}) {
    this.#maxKept = maxKept
    this.#now = now
  }

  get(key: string, ask: () => Promise<Kept<T>>): Promise<T> {
    const kept = this.#kept.get(key)
    if (kept && kept.until > this.#now()) return Promise.resolve(kept.value)
    const flight = this.#flights.get(key) ?? this.#start(key, ask)
    return flight
  }

  /** Forgets the answers whose key passes; a question under way is answered but not kept. */
  forget(matches: (key: string) => boolean = () => true): void {
    for (const key of this.#kept.keys()) if (matches(key)) this.#kept.delete(key)
    for (const key of this.#flights.keys()) if (matches(key)) this.#flights.delete(key)
  }

  #start(key: string, ask: () => Promise<Kept<T>>): Promise<T> {
    const flight: Promise<T> = ask()
      .then((answer) => {
        if (this.#flights.get(key) === flight) this.#keep(key, answer)
        return answer.value
      })
      .finally(() => {
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
      })
    this.#flights.set(key, flight)
    return flight
  }

  #keep(key: string, answer: Kept<T>): void {
    this.#kept.delete(key)
    this.#kept.set(key, answer)
    // The oldest go first: a Map keeps the order of insertion.
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxKept) break
      this.#kept.delete(oldest)
    }
  }
}
