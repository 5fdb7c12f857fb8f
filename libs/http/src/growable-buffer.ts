const firstBytes = 16 * 1024

/**
 * Buffer that grows as chunks are appended. A list of chunks would cost about a hundred times the
 * memory if a client sends single bytes.
 */
export class GrowableBuffer {
  #bytes: Buffer
  #size = 0

  /** @param expected number of bytes to allocate initially */
  constructor(expected = 0) {
    this.#bytes = Buffer.allocUnsafe(expected)
  }

  get size(): number {
    return this.#size
  }

  append(chunk: Buffer): void {
    const size = this.#size + chunk.length
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length, firstBytes))
      this.#bytes.copy(larger, 0, 0, this.#size)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.#size)
    this.#size = size
  }

  /** Returns the content of the buffer. Do not append chunks after this call. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }
}
