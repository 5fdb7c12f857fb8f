/**
 * Registry of the idle command connections of all accounts of a worker. Each connection takes about
 * 100 kB, so their number is limited. Above `max`, the connection that has been idle for the
 * longest time is closed.
 */
export class IdleConnections {
  readonly #max: number
  /**
   * Functions that close idle IMAP connections, in the order in which the connections became idle.
   */
  readonly #closers = new Set<() => void>()

  constructor(max: number) {
    this.#max = max
  }

  /**
   * Adds an idle IMAP connection. `close` closes the connection and removes it from the registry.
   */
  add(close: () => void): void {
    this.#closers.add(close)
    const [longestIdle] = this.#closers
    if (this.#closers.size > this.#max) longestIdle?.()
  }

  /**
   * Removes a connection from the registry of idle connections, because the connection is in use or
   * closed.
   */
  remove(close: () => void): void {
    this.#closers.delete(close)
  }
}
