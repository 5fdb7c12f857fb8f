/**
 * Shares one asynchronous call and its result or error among concurrent callers with the same key.
 * Stores nothing after the call; `TtlCache.load` does. A caller that stops waiting cancels nothing.
 */
export class SingleFlight<K, T> {
  readonly #flights = new Map<K, Promise<T>>()

  /** Number of shared calls in flight. */
  get size(): number {
    return this.#flights.size
  }

  /** Shared call in flight for the key, if any. */
  inFlight(key: K): Promise<T> | undefined {
    return this.#flights.get(key)
  }

  /** Joins the shared call in flight for the key or starts `work`. */
  run(key: K, work: () => Promise<T>): Promise<T> {
    return this.#flights.get(key) ?? this.#start(key, work)
  }

  /**
   * Makes the next caller of the key start a new call. Present callers still get the old result.
   */
  forget(key: K): void {
    this.#flights.delete(key)
  }

  #start(key: K, work: () => Promise<T>): Promise<T> {
    const flight: Promise<T> = work().finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    })
    this.#flights.set(key, flight)
    return flight
  }
}
