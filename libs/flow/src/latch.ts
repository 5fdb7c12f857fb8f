import { abortable } from './abortable.ts'

/**
 * Latch: a condition that can be opened and closed, and for which callers can wait. A new latch is
 * closed.
 */
export class Latch {
  #isOpen = false
  #opening = Promise.withResolvers<void>()

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Opens the latch and releases all waiting callers. */
  open(): void {
    this.#isOpen = true
    this.#opening.resolve()
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#opening = Promise.withResolvers()
  }

  set(open: boolean): void {
    if (open) this.open()
    else this.close()
  }

  /**
   * Resolves when the latch is open. Rejects with the reason of `signal` if `signal` aborts first.
   */
  async whenOpen(signal: AbortSignal): Promise<void> {
    // The state of the latch is checked again after waiting, because the latch may have been closed
    // again in the meantime.
    while (!this.#isOpen) await abortable(this.#opening.promise, signal)
  }
}
