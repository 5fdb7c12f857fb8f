import type { Duplex } from 'node:stream'

const crlf = Buffer.from('\r\n')
const maxLine = 64 * 1024
const ends = ['end', 'close', 'error'] as const

/** Reads a connection only on demand, so that unread data stops the client's writes. */
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

  /** Detaches from the connection before TLS starts. */
  release(): void {
    this.#stream.off('readable', this.#onReadable)
    for (const event of ends) this.#stream.off(event, this.#onEnd)
  }

  /** True if more was received than read: the client did not wait for replies. */
  get hasMore(): boolean {
    return this.#bytes.length > 0
  }

  /** Returns the next line without its line end. Undefined after the end of the connection. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const at = this.#bytes.indexOf(crlf)
      if (at >= 0) {
        const line = this.#bytes.subarray(0, at).toString('utf8')
        this.#bytes = this.#bytes.subarray(at + 2)
        return line
      }
      if (this.#bytes.length > maxLine) return undefined
      const more = await this.#next()
      if (!more) return undefined
      this.#bytes = Buffer.concat([this.#bytes, more])
    }
  }

  /**
   * Returns the next bytes. `unread` puts bytes back. Undefined after the end of the connection.
   */
  async bytes(): Promise<Buffer | undefined> {
    if (this.#bytes.length === 0) return this.#next()
    const bytes = this.#bytes
    this.#bytes = Buffer.alloc(0)
    return bytes
  }

  unread(bytes: Buffer): void {
    this.#bytes = bytes
  }

  async #next(): Promise<Buffer | undefined> {
    for (;;) {
      const bytes = this.#stream.read() as Buffer | null
      if (bytes) return bytes
      if (this.#ended) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
  }
}
