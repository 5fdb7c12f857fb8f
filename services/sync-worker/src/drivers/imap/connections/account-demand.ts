/**
 * Tells whether commands wait for an account, so that its session logs in before those of
 * other accounts.
 */
export class AccountDemand {
  readonly #listeners = new Set<() => void>()
  #isAsked = false

  get isAsked(): boolean {
    return this.#isAsked
  }

  /** A command has arrived: the next login of the session comes first. */
  ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    for (const listener of this.#listeners) listener()
  }

  /** The session has logged in. */
  clear(): void {
    this.#isAsked = false
  }

  /** Calls back when a command arrives, until the result is disposed. */
  onAsk(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
