import { once } from 'node:events'
import { createGzip, type Gzip } from 'node:zlib'
import type { MergePosition } from './merge-runs.ts'
import { type ExportedMessage, messageLine } from './message-line.ts'

/**
 * Compression level of export files: up to twice as fast as the default level, for files that are 0
 * to 14 % larger.
 */
const level = 3
/** Compressed bytes after which a chunk (part of an export file) ends. */
const fullBytes = 1024 * 1024
/**
 * Maximum bytes per call of the compressor, so that a long line of an export is not compressed as a
 * whole.
 */
const pieceBytes = 256 * 1024
/** Bytes of each buffer in which the compressor of export files returns its output. */
const outputBytes = 64 * 1024
/**
 * Characters of an export that are collected for one call of the compressor, because any call takes
 * at least 50 µs.
 */
const collectedLength = 64 * 1024

/** Limits of a chunk (part of an export file): number of messages, and age in milliseconds. */
const maxChunkMessages = 500
const maxChunkMs = 10_000

/**
 * Compresses one chunk (part) of an export file to a gzip member (RFC 1952 §2.2). Readers
 * decompress the members of a file one after the other.
 */
export class ChunkWriter {
  readonly #gzip: Gzip
  readonly #output: Buffer[] = []
  readonly #failed: Promise<never>
  #size = 0
  #collected = ''

  constructor() {
    this.#gzip = createGzip({ level, chunkSize: outputBytes })
    this.#gzip.on('data', (bytes: Buffer) => {
      this.#output.push(bytes)
      this.#size += bytes.length
    })
    this.#failed = once(this.#gzip, 'error').then(([error]) => {
      throw error
    })
    this.#failed.catch(() => undefined)
  }

  /**
   * True once the chunk of an export file has enough compressed bytes to end. Text that is not
   * compressed yet is not counted.
   */
  get isFull(): boolean {
    return this.#size >= fullBytes
  }

  /** Adds text to the chunk of an export file. Resolves when the chunk accepts further text. */
  async write(text: string): Promise<void> {
    this.#collected += text
    if (this.#collected.length >= collectedLength) await this.#compress()
  }

  async #compress(): Promise<void> {
    const bytes = Buffer.from(this.#collected)
    this.#collected = ''
    for (let at = 0; at < bytes.length; at += pieceBytes)
      if (!this.#gzip.write(bytes.subarray(at, at + pieceBytes)))
        await Promise.race([once(this.#gzip, 'drain'), this.#failed])
  }

  /** Ends the chunk (part of an export file) and returns its compressed bytes. */
  async end(): Promise<Buffer> {
    await this.#compress()
    const ended = once(this.#gzip, 'end')
    this.#gzip.end()
    await Promise.race([ended, this.#failed])
    return Buffer.concat(this.#output)
  }

  /** Frees the memory of a chunk of an export file that will not be stored. */
  [Symbol.dispose](): void {
    this.#gzip.destroy()
  }
}

/** Chunk (part of an export file) that is being written, with the number of its messages. */
export class OpenChunk {
  readonly startedAt = Date.now()
  messages = 0
  skipped = 0
  hasBytes = false
  /** Position in the export's list of messages after the last message of this chunk. */
  merge: MergePosition
  readonly #writer = new ChunkWriter()

  constructor(merge: MergePosition) {
    this.merge = merge
  }

  get isFull(): boolean {
    return this.#writer.isFull
  }

  /**
   * True if the chunk of an export file reached a limit of bytes, messages or age. The chunk is
   * then stored after the current message.
   */
  get isDue(): boolean {
    const isOld = Date.now() - this.startedAt >= maxChunkMs
    return this.isFull || this.messages + this.skipped >= maxChunkMessages || isOld
  }

  async write(piece: string): Promise<void> {
    this.hasBytes = true
    await this.#writer.write(piece)
  }

  async add(exported: ExportedMessage): Promise<void> {
    for await (const piece of messageLine(exported)) await this.write(piece)
    this.count()
  }

  count(): void {
    this.messages++
  }

  skip(): void {
    this.skipped++
  }

  end(): Promise<Buffer> {
    return this.#writer.end()
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]()
  }
}
