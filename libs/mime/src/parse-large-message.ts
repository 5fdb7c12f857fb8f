import { randomUUID } from 'node:crypto'
import { joined, type MessageSource, type PartContent, readRanges } from './message-source.ts'
import { type ParsedMessage, parseMessage } from './parse-message.ts'
import { type LeafPart, scanParts } from './scan-parts.ts'

/** Parsed message with attachments whose content is only read when it is needed. */
export type LargeMessage = Omit<ParsedMessage, 'attachments'> & {
  attachments: (Omit<ParsedMessage['attachments'][number], 'content'> & { content: PartContent })[]
  /** Bytes of the message, with a short mark in place of the body of each large attachment. */
  skeleton: Buffer
}

/**
 * Minimum length in bytes of an encoded attachment body that is replaced by a short mark when a
 * large message is parsed.
 */
const minDetachedBytes = 64 * 1024
/**
 * Maximum number of bytes in the skeleton of a message (the message with a short mark in place of
 * the body of each large attachment). `parseMessage` accepts no larger message.
 */
const maxSkeletonBytes = 64 * 1024 * 1024

/**
 * Parses a message of any size. Only the skeleton of the message is held in memory, in which a
 * short mark replaces the body of each large attachment. Attachments in quoted-printable are not
 * replaced. If the parser does not report exactly these attachments, a message up to 64 MiB is
 * parsed again as a whole. A larger message is then `incomplete`, and so is a message whose
 * skeleton exceeds 64 MiB.
 */
export async function parseLargeMessage(source: MessageSource): Promise<LargeMessage> {
  const detached = (await scanParts(source)).filter(isDetachable)
  const parsed = await parseSkeleton(source, detached)
  const isSmall = source.length <= maxSkeletonBytes
  return parsed.incomplete && detached.length > 0 && isSmall ? parseSkeleton(source, []) : parsed
}

async function parseSkeleton(source: MessageSource, detached: LeafPart[]): Promise<LargeMessage> {
  const mark = randomUUID()
  const skeleton = await joined(skeletonOf(source, { detached, mark }))
  const parsed = await parseMessage(skeleton)
  const reported = new Set<LeafPart>()
  const attachments: LargeMessage['attachments'] = []
  // Large attachments of a message are processed one after the other, because each attachment reads
  // from the source of the message.
  for (const { content, ...rest } of parsed.attachments) {
    const isMark = content.length < 2 * mark.length
    const part = isMark ? partOf(content.toString('latin1'), { detached, mark }) : undefined
    if (part) reported.add(part)
    attachments.push({ ...rest, content: part ? await decoded(source, part) : inMemory(content) })
  }
  const incomplete = parsed.incomplete || reported.size !== detached.length
  return { ...parsed, attachments, incomplete, skeleton }
}

/** Wraps content that is already in memory as the content of a message part. */
export function inMemory(content: Buffer): PartContent {
  return {
    size: content.length,
    async *chunks() {
      yield content
    },
  }
}

/**
 * True if the body of a message part can be replaced by a short mark and decoded later. Text parts
 * are never replaced.
 */
function isDetachable({ contentType, disposition, encoding, start, end }: LeafPart): boolean {
  const isText = /^(?:text|multipart)\/|^message\/delivery-status$/.test(contentType)
  const isAttached = disposition === 'attachment' && !contentType.startsWith('multipart/')
  const isDecodable = /^(?:base64|7bit|8bit|binary)$/.test(encoding)
  return end - start >= minDetachedBytes && isDecodable && (isAttached || !isText)
}

interface Marks {
  detached: readonly LeafPart[]
  /**
   * Random text that identifies the marks that replace large attachments while a message is parsed.
   * No message contains this text.
   */
  mark: string
}

async function* skeletonOf(
  source: MessageSource,
  { detached, mark }: Marks,
): AsyncGenerator<Buffer> {
  let start = 0
  let bytes = 0
  for (const [index, part] of [...detached.entries(), [-1, undefined] as const]) {
    for await (const chunk of readRanges(source, { start, end: part?.start ?? source.length })) {
      bytes += chunk.length
      // The skeleton (the message with a short mark in place of each large attachment) is not read
      // further than needed: `parseMessage` already gets more bytes than its limit and reports the
      // message as incomplete.
      if (bytes > maxSkeletonBytes + chunk.length) return
      yield chunk
    }
    if (!part) return
    const text = `${mark}.${index}`
    yield Buffer.from(part.encoding === 'base64' ? Buffer.from(text).toString('base64') : text)
    start = part.end
  }
}

function partOf(text: string, { detached, mark }: Marks): LeafPart | undefined {
  const [start, index] = text.trim().split('.')
  return start === mark ? detached[Number(index)] : undefined
}

async function decoded(source: MessageSource, part: LeafPart): Promise<PartContent> {
  const chunks = () =>
    part.encoding === 'base64' ? decodeBase64(readRanges(source, part)) : readRanges(source, part)
  if (part.encoding !== 'base64') return { size: part.end - part.start, chunks }
  let size = 0
  for await (const chunk of chunks()) size += chunk.length
  return { size, chunks }
}

/**
 * Decodes base64 (RFC 2045 §6.8) in chunks. Characters outside of the base64 alphabet are ignored.
 */
async function* decodeBase64(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + chunk.toString('latin1').replaceAll(/[^A-Za-z0-9+/]+/g, '')
    const length = text.length - (text.length % 4)
    yield Buffer.from(text.slice(0, length), 'base64')
    rest = text.slice(length)
  }
  if (rest !== '') yield Buffer.from(rest, 'base64')
}
