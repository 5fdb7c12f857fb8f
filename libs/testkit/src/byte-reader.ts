import type { Duplex } from 'node:stream'

const maxLine = 64 * 1024
const ends = ['end', 'close', 'error'] as const

/**
 * Reader of a test server that receives data from a connection only on demand, so that unread data
 * stops the client's writes.
 */
export class ByteReader {
  readonly #stream: Duplex
  #bytes: Buffer = Buffer.alloc(0)
  #ended = false
  #wake: (() => void) | undefined
  readonly #onReadable = () => this.#wake?.()
  readonly #onEnd = () => {
    this.#ended = true
    this.#wake?.()
  }

  constructor(stream: Duplex) {
    this.#stream = stream
    stream.on('readable', this.#onReadable)
    for (const event of ends) stream.once(event, this.#onEnd)
  }

  /**
   * Detaches the reader from the client's connection, so that TLS or a pipe can use the connection.
   * Returns the bytes that were not read.
   */
  release(): Buffer {
    this.#stream.off('readable', this.#onReadable)
    for (const event of ends) this.#stream.off(event, this.#onEnd)
    return this.#bytes
  }

  /**
   * True if the test server has received more than was read, which means that the client did not
   * wait for replies.
   */
  get hasMore(): boolean {
    return this.#bytes.length > 0
  }

  /**
   * Returns the text that the client of a test server sent before the next `mark`. Undefined if the
   * client's connection ends, or if the mark does not follow within 64 KiB.
   */
  async until(mark: string): Promise<string | undefined> {
    for (;;) {
      const at = this.#bytes.indexOf(mark)
      if (at >= 0) {
        const text = this.#bytes.toString('utf8', 0, at)
        this.#bytes = this.#bytes.subarray(at + mark.length)
        return text
      }
      if (this.#bytes.length > maxLine || !(await this.#fill())) return undefined
    }
  }

  /**
   * Returns the next `count` bytes that the client has sent. Undefined if the connection ends
   * earlier.
   */
  async take(count: number): Promise<Buffer | undefined> {
    while (this.#bytes.length < count) if (!(await this.#fill())) return undefined
    const bytes = this.#bytes.subarray(0, count)
    this.#bytes = this.#bytes.subarray(count)
    return bytes
  }

  /**
   * Returns the next bytes that the client has sent. `unread` puts bytes back. Undefined after the
   * end of the connection.
   */
  async bytes(): Promise<Buffer | undefined> {
    if (this.#bytes.length === 0 && !(await this.#fill())) return undefined
    return this.take(this.#bytes.length)
  }

  unread(bytes: Buffer): void {
    this.#bytes = bytes
  }

  /** Waits for more bytes from the client. Returns false after the end of the connection. */
  async #fill(): Promise<boolean> {
    for (;;) {
      const bytes = this.#stream.read() as Buffer | null
      if (bytes) {
        this.#bytes = Buffer.concat([this.#bytes, bytes])
        return true
      }
      if (this.#ended) return false
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
  }
}
