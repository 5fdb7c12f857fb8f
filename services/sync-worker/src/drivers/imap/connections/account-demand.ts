/**
 * Records whether commands wait for an account. The session of such an account logs in before the
 * sessions of other accounts.
 */
export class AccountDemand {
  readonly #listeners = new Set<() => void>()
  #isAsked = false

  get isAsked(): boolean {
    return this.#isAsked
  }

  /**
   * Called when a command arrives: the session of the account then logs in before other sessions.
   */
  ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    for (const listener of this.#listeners) listener()
  }

  /** Called when the session has logged in. */
  clear(): void {
    this.#isAsked = false
  }

  /** Calls back when a command arrives, until the result is disposed. */
  onAsk(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
