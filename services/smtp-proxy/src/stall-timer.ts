/** Bytes that a transfer must deliver within each period. A modem of 1990 sends more. */
export const minStallBytes = 32 * 1024

/**
 * Timer that calls `onStall` after a period with less than `minStallBytes`, so that a client which
 * stops or trickles does not occupy memory. Disposal stops the timer.
 */
export class StallTimer implements Disposable {
  readonly #timer: NodeJS.Timeout
  #bytes = 0

  constructor(periodMs: number, onStall: () => void) {
    this.#timer = setInterval(() => {
      if (this.#bytes < minStallBytes) onStall()
      this.#bytes = 0
    }, periodMs)
  }

  /** Counts received bytes. */
  add(bytes: number): void {
    this.#bytes += bytes
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
