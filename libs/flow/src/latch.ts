import { abortable } from './abortable.ts'

/** Latch: condition that can be set and reset, and that callers can wait for. Initially closed. */
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

  /** Resolves when the latch is open. Rejects with the signal's reason. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    // If the latch closed again before the continuation ran, the caller keeps waiting.
    while (!this.#isOpen) await abortable(this.#opening.promise, signal)
  }
}
