/** Receiver of bus messages (messages on RabbitMQ): a consumer or command server. */
export interface Receiver extends AsyncDisposable {
  /** Returns the number of bus messages that the receiver is handling. */
  active(): number
}

/** Consumers and command servers of a bus (RabbitMQ client). Disposal closes the open receivers. */
export class Receivers implements AsyncDisposable {
  readonly #open = new Set<Receiver>()

  /** Number of bus messages that all consumers and command servers are handling. */
  get active(): number {
    return [...this.#open].reduce((sum, receiver) => sum + receiver.active(), 0)
  }

  /**
   * Adds a consumer or command server. The receiver is disposed only once, either by the returned
   * object or with the bus.
   */
  add(receiver: Receiver): AsyncDisposable {
    let closing: Promise<void> | undefined
    const close = async () => {
      await receiver[Symbol.asyncDispose]()
      this.#open.delete(entry)
    }
    const entry = {
      active: () => receiver.active(),
      [Symbol.asyncDispose]: () => (closing ??= close()),
    }
    this.#open.add(entry)
    return entry
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((receiver) => receiver[Symbol.asyncDispose]()))
  }
}
