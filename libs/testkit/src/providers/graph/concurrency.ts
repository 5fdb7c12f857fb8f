/**
 * Concurrent requests to each mailbox of the Graph fake. A request counts from its start until its
 * response is sent. The parts of a batch count until the response to the batch is sent.
 */
export class FakeConcurrency {
  /** Largest number of concurrent requests that was reached, by mailbox address. */
  readonly most = new Map<string, number>()
  /** Number of requests that the Graph fake refused, by mailbox address. */
  readonly refused = new Map<string, number>()
  readonly #limit: number
  readonly #running = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Counts a request to the Graph fake as running until `closed` resolves. Returns false if too
   * many requests are running.
   */
  start(address: string, closed: Promise<void>): boolean {
    const running = (this.#running.get(address) ?? 0) + 1
    if (running > this.#limit) {
      this.refused.set(address, (this.refused.get(address) ?? 0) + 1)
      return false
    }
    this.#running.set(address, running)
    this.most.set(address, Math.max(running, this.most.get(address) ?? 0))
    void closed.then(() => {
      this.#running.set(address, (this.#running.get(address) ?? 0) - 1)
    })
    return true
  }
}
