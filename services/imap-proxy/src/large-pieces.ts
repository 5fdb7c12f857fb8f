const largeBytes = 65_536
/** Kept for the next who need one; more are left to the garbage collector. */
const maxKept = 32

/** Pieces of memory for sessions that have much to read, used again by one after the other. */
export class LargePieces {
  readonly #kept: Buffer[] = []

  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(largeBytes)
  }

  /** Nobody may use it any more. */
  giveBack(piece: Buffer): void {
    if (this.#kept.length < maxKept) this.#kept.push(piece)
  }
}
