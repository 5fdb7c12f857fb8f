import { once } from 'node:events'
import { createGzip, type Gzip } from 'node:zlib'

/** Bytes of a compressed chunk after which the chunk ends. */
const fullBytes = 1024 * 1024
/** Bytes that are compressed at once, so that a long line is not compressed as a whole. */
const pieceBytes = 256 * 1024

/**
 * Compresses one chunk of an export: a gzip member (RFC 1952 §2.2). A file of several members is
 * decompressed like a file of one.
 */
export class ChunkWriter {
  readonly #gzip: Gzip
  readonly #output: Buffer[] = []
  readonly #failed: Promise<never>
  #size = 0

  constructor() {
    this.#gzip = createGzip()
    this.#gzip.on('data', (bytes: Buffer) => {
      this.#output.push(bytes)
      this.#size += bytes.length
    })
    this.#failed = once(this.#gzip, 'error').then(([error]) => {
      throw error
    })
    this.#failed.catch(() => undefined)
  }

  /** True once the chunk should end. Bytes that are not compressed yet are not counted. */
  get isFull(): boolean {
    return this.#size >= fullBytes
  }

  /** Adds bytes to the chunk. Resolves when further bytes may follow. */
  async write(content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let at = 0; at < bytes.length; at += pieceBytes)
      if (!this.#gzip.write(bytes.subarray(at, at + pieceBytes)))
        await Promise.race([once(this.#gzip, 'drain'), this.#failed])
  }

  /** Ends the chunk and returns its compressed bytes. */
  async end(): Promise<Buffer> {
    const ended = once(this.#gzip, 'end')
    this.#gzip.end()
    await Promise.race([ended, this.#failed])
    return Buffer.concat(this.#output)
  }

  /** Frees the memory of a chunk that is not needed. */
  [Symbol.dispose](): void {
    this.#gzip.destroy()
  }
}
