import { printable } from './printable.ts'
import type { OutputStream } from './terminal.ts'

/** Interval between two lines of progress where standard error is not a terminal. */
const lineIntervalMs = 10_000

/**
 * Progress of long work on standard error: a line that is replaced on a terminal, and otherwise a
 * line each 10 s, which is readable in a log.
 */
export class Progress {
  readonly #stream: OutputStream
  #isShown = false
  #lastLineAt = 0

  constructor(stream: OutputStream) {
    this.#stream = stream
  }

  /** Shows the progress of a command, such as `exported 1,200 of 20,000 messages`. */
  show(text: string): void {
    const line = printable(text)
    if (this.#stream.isTTY) {
      const width = (this.#stream.columns || 80) - 1
      this.#stream.write(`\r\u001b[K${line.slice(0, width)}`)
      this.#isShown = true
      return
    }
    const now = Date.now()
    if (now - this.#lastLineAt < lineIntervalMs) return
    this.#lastLineAt = now
    this.#stream.write(`${line}\n`)
  }

  /** Prints a line on standard error that stays, unlike the line of the progress. */
  note(text: string): void {
    this.clear()
    this.#stream.write(`${printable(text)}\n`)
  }

  /** Removes the line of the progress from the terminal. */
  clear(): void {
    if (this.#isShown) this.#stream.write('\r\u001b[K')
    this.#isShown = false
  }
}
