import type { Duplex } from 'node:stream'

const crlf = Buffer.from('\r\n')
const maxLine = 64 * 1024
const ends = ['end', 'close', 'error'] as const

/** What comes in on a connection, read only as far as it is asked for: what nobody reads keeps the client from writing more. */
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

  /** Lets go of the connection, for TLS to take it. */
  release(): void {
    this.#stream.off('readable', this.#onReadable)
    for (const event of ends) this.#stream.off(event, this.#onEnd)
  }

  /** Whether more is here than was read: a client that does not wait for replies. */
  get hasMore(): boolean {
    return this.#bytes.length > 0
  }

  /** The next line without its end; undefined when the connection has ended. */
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

  /** The next bytes of a message; what must not be read yet is given back with `unread`. Undefined when the connection has ended. */
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
