/**
 * Source of a message or other content that is read in ranges, because the whole content may be too
 * large for memory.
 */
export interface MessageSource {
  /** Length in bytes of the message or other content. */
  readonly length: number
  /**
   * Reads a range of the bytes of a message or other content. `end` is the position after the last
   * byte of the range.
   */
  read(start: number, end: number): Promise<Buffer>
}

/** Message whose bytes are in memory, or a source from which the bytes are read. */
export type MessageContent = Uint8Array | MessageSource

/** Decoded content of a message part. Each iteration reads and decodes the content again. */
export interface PartContent {
  /** Size in bytes of the message part's decoded content. */
  readonly size: number
  chunks(): AsyncIterable<Buffer>
}

/**
 * Number of bytes of a message that are read and decoded at a time. Decoding this number of bytes
 * takes about 20 ms.
 */
export const rangeBytes = 4 * 1024 * 1024

/** Returns a source for a message. If the message is in memory, its bytes are not copied. */
export function toSource(content: MessageContent): MessageSource {
  if (!(content instanceof Uint8Array)) return content
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  return {
    length: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
  }
}

/**
 * Reads the whole content of a message into memory. The caller must check the length of the message
 * before.
 */
export async function toBytes(content: MessageContent): Promise<Buffer> {
  return joined(readRanges(toSource(content), { start: 0, end: content.length }))
}

/** Reads a range of a message in chunks of at most `rangeBytes`. */
export async function* readRanges(
  source: MessageSource,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += rangeBytes)
    yield await source.read(at, Math.min(at + rangeBytes, end))
}

/**
 * Joins all chunks of a message into one buffer. The chunks must fit into memory. A single chunk is
 * not copied.
 */
export async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all.length === 1 && all[0] ? all[0] : Buffer.concat(all)
}
