/**
 * Idle command connections of all accounts of a worker. Each connection takes about 100 kB, so the
 * number is limited: beyond `max`, the connection that is idle for the longest time is closed.
 */
export class IdleConnections {
  readonly #max: number
  /** Functions that close an idle connection. The first closes the longest idle connection. */
  readonly #closers = new Set<() => void>()

  constructor(max: number) {
    this.#max = max
  }

  /** Adds an idle connection. `close` must remove the connection from this list. */
  add(close: () => void): void {
    this.#closers.add(close)
    const [longestIdle] = this.#closers
    if (this.#closers.size > this.#max) longestIdle?.()
  }

  /** Removes a connection that is in use or closed from the list of idle connections. */
  remove(close: () => void): void {
    this.#closers.delete(close)
  }
}
