/**
 * Single flight: concurrent callers with equal keys share one asynchronous call and its result or
 * error. The result is not stored (see `TtlCache.load`). A caller that does not wait any more
 * cancels nothing.
 */
export class SingleFlight<K, T> {
  readonly #flights = new Map<K, Promise<T>>()

  /** Number of running shared calls of the single flight. */
  get size(): number {
    return this.#flights.size
  }

  /** Returns the shared call in flight for a key. Undefined if there is none. */
  inFlight(key: K): Promise<T> | undefined {
    return this.#flights.get(key)
  }

  /** Joins the shared call in flight for the key. Without such a call, starts `work`. */
  run(key: K, work: () => Promise<T>): Promise<T> {
    return this.#flights.get(key) ?? this.#start(key, work)
  }

  /**
   * Makes the next caller of the key start a new shared call in the single flight. Callers that
   * already wait get the result of the old call.
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
