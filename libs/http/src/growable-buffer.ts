const firstBytes = 16 * 1024

/**
 * Bytes that come in pieces, put together as they come. Kept as pieces they would cost some hundred times as much as they are where
 * each of them is a byte.
 */
export class GrowableBuffer {
  #bytes: Buffer
  #size = 0

  /** @param expected as far as one was told */
  constructor(expected = 0) {
    this.#bytes = Buffer.allocUnsafe(expected)
  }

  get size(): number {
    return this.#size
  }

  append(piece: Buffer): void {
    const size = this.#size + piece.length
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length, firstBytes))
      this.#bytes.copy(larger, 0, 0, this.#size)
      this.#bytes = larger
    }
    piece.copy(this.#bytes, this.#size)
    this.#size = size
  }

  /** All of it. Nothing is to be added any more. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }
}
