/** Content of a message that is read in ranges, because the content may be too large for memory. */
export interface MessageSource {
  /** Length of the message in bytes. */
  readonly length: number
  /** Reads the bytes from `start` up to `end`, which is exclusive. */
  read(start: number, end: number): Promise<Buffer>
}

/** Message in memory, or source of a message. */
export type MessageContent = Uint8Array | MessageSource

/** Decoded content of a message part. The content is read and decoded at each iteration. */
export interface PartContent {
  /** Size of the decoded content in bytes. */
  readonly size: number
  chunks(): AsyncIterable<Buffer>
}

/** Bytes of a message that are read and decoded at a time. Decoding takes about 20 ms. */
export const rangeBytes = 4 * 1024 * 1024

/** Source of a message. A message in memory is not copied. */
export function toSource(content: MessageContent): MessageSource {
  if (!(content instanceof Uint8Array)) return content
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  return {
    length: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
  }
}

/** Whole content of a message. Callers check the length before. */
export async function toBytes(content: MessageContent): Promise<Buffer> {
  return joined(readRanges(toSource(content), { start: 0, end: content.length }))
}

/** Reads a range of a source in chunks of at most `rangeBytes`. */
export async function* readRanges(
  source: MessageSource,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += rangeBytes)
    yield await source.read(at, Math.min(at + rangeBytes, end))
}

/** Joins chunks that fit into memory. A single chunk is not copied. */
export async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all.length === 1 && all[0] ? all[0] : Buffer.concat(all)
}
