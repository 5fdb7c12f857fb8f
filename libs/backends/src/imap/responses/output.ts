/**
 * Output of the filter of IMAP responses for one chunk of input: the kept ranges of the chunk, and
 * inserted text. A chunk that is kept as a whole is not copied.
 */
export class Output {
  #chunk: Buffer = Buffer.alloc(0)
  #isKeeping = true
  #from = 0
  #group: Buffer[] = []
  #pieces: Buffer[] = []

  /**
   * Begins a chunk of IMAP input. Bytes are kept or dropped as at the end of the previous chunk.
   */
  start(chunk: Buffer): void {
    this.#chunk = chunk
    this.#from = 0
  }

  /** Drops the IMAP input from this offset of the chunk on. */
  drop(at: number): void {
    if (!this.#isKeeping) return
    if (at > this.#from) this.#group.push(this.#chunk.subarray(this.#from, at))
    this.#isKeeping = false
  }

  /** Keeps the IMAP input from this offset of the chunk on. */
  keep(at: number): void {
    if (this.#isKeeping) return
    this.#isKeeping = true
    this.#from = at
  }

  /** Inserts ASCII text into the filtered IMAP input before this offset of the chunk. */
  insert(at: number, text: string): void {
    const isKeeping = this.#isKeeping
    this.drop(at)
    this.#group.push(Buffer.from(text, 'latin1'))
    if (isKeeping) this.keep(at)
  }

  /**
   * Ends a piece of the filtered IMAP input before this offset of the chunk. The event loop runs
   * between two pieces.
   */
  split(at: number): void {
    const isKeeping = this.#isKeeping
    this.drop(at)
    this.#endPiece()
    if (isKeeping) this.keep(at)
  }

  /** Ends the chunk of IMAP input. Returns the non-empty pieces of the filtered output. */
  end(): Buffer[] {
    if (this.#isKeeping && this.#from < this.#chunk.length)
      this.#group.push(this.#chunk.subarray(this.#from))
    this.#endPiece()
    return this.#pieces.splice(0)
  }

  #endPiece(): void {
    const [first, ...more] = this.#group.splice(0)
    if (first) this.#pieces.push(more.length === 0 ? first : Buffer.concat([first, ...more]))
  }
}
