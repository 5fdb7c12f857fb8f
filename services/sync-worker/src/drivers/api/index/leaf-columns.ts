import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { bitRowsOf, markMessages, unmarkedMessage } from './bit-rows.ts'
import type { IndexedMessage } from './indexed-message.ts'

/**
 * Column of texts without their common beginning. The characters are stored by position: the first
 * characters of all texts, then the second characters of all texts. Ids of a mailbox differ at few
 * positions, so most characters repeat and compress well.
 */
interface TextColumn {
  prefix: string
  /** Length of each text in the column of ids, without the common beginning. */
  lengths: number[]
  characters: string
}

/** Content of a leaf (block) of the message index before compression. Stored as JSON. */
interface LeafColumns {
  ids: TextColumn
  /**
   * Thread of each message in the leaf: `ownThread`, `nextThread`, or 2 plus the index in
   * `threadIds`.
   */
  threads: number[]
  /** Distinct thread ids of the messages whose thread id differs from the message id. */
  threadIds: TextColumn
  /** Bit rows of folders, labels and flags: one bit per message, in base64. */
  rows: [name: string, bits: string][]
}

/** Marks a message whose thread id is its message id (first message of a thread at Gmail). */
const ownThread = 0
/** Marks a message whose thread id is the first entry of `threadIds` without earlier messages. */
const nextThread = 1

/**
 * Maximum bytes of a decompressed leaf (block) of the message index. The 10,000 labels that Gmail
 * permits take 1 MB.
 */
const maxBytes = 32 * 1024 * 1024
/** Maximum messages in a leaf (block) of the message index: the column `messages` is a smallint. */
const maxMessages = 32_767

/**
 * Packs messages with sorted ids into a leaf (block) of the message index, as compressed columns.
 * Pure.
 */
export function encodeColumns(messages: readonly IndexedMessage[]): Buffer {
  const numbers = new Map<string, number>()
  const threads = messages.map(({ id, threadId = '' }) => {
    if (threadId === id) return ownThread
    const number = numbers.get(threadId)
    if (number !== undefined) return number
    numbers.set(threadId, numbers.size + 2)
    return nextThread
  })
  const columns: LeafColumns = {
    ids: toColumn(messages.map(({ id }) => id)),
    threads,
    threadIds: toColumn([...numbers.keys()]),
    rows: bitRowsOf(messages).map(([name, bits]) => [name, Buffer.from(bits).toString('base64')]),
  }
  return deflateRawSync(JSON.stringify(columns))
}

/**
 * Unpacks the messages of a leaf (block of the message index) with compressed columns. @throws
 * Error if the bytes are damaged. Pure.
 */
export function decodeColumns(bytes: Uint8Array): IndexedMessage[] {
  try {
    const json = inflateRawSync(bytes, { maxOutputLength: maxBytes }).toString()
    const { ids, threads, threadIds, rows } = JSON.parse(json) as LeafColumns
    const names = toTexts(threadIds)
    let next = 0
    const messages = toTexts(ids).map((id, at) => {
      const thread = threads[at] ?? ownThread
      if (thread === ownThread) return unmarkedMessage(id, id)
      return unmarkedMessage(id, names[thread === nextThread ? next++ : thread - 2] || undefined)
    })
    for (const [name, bits] of rows) markMessages(messages, name, Buffer.from(bits, 'base64'))
    return messages
  } catch (cause) {
    throw new Error('damaged columns of an index leaf', { cause })
  }
}

function toColumn(texts: readonly string[]): TextColumn {
  let prefix = texts[0] ?? ''
  for (const text of texts) while (!text.startsWith(prefix)) prefix = prefix.slice(0, -1)
  const lengths = texts.map((text) => text.length - prefix.length)
  const joined = texts.map((text) => text.slice(prefix.length)).join('')
  const order = columnOrder(lengths)
  const units = new Uint16Array(order.length)
  for (let at = 0; at < order.length; at++) units[at] = joined.charCodeAt(order[at] ?? 0)
  return { prefix, lengths, characters: toText(units) }
}

function toTexts({ prefix, lengths, characters }: TextColumn): string[] {
  const isLength = (length: unknown) => Number.isInteger(length) && (length as number) >= 0
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const isPossible = lengths.length <= maxMessages && lengths.every(isLength)
  if (!isPossible || total !== characters.length || prefix.length * lengths.length > maxBytes)
    throw new Error('impossible lengths of texts')
  const order = columnOrder(lengths)
  const units = new Uint16Array(total)
  for (let at = 0; at < total; at++) units[order[at] ?? 0] = characters.charCodeAt(at)
  const joined = toText(units)
  let end = 0
  return lengths.map((length) => prefix + joined.slice(end, (end += length)))
}

function toText(units: Uint16Array): string {
  return Buffer.from(units.buffer).toString('utf16le')
}

/**
 * Computes the stored order of the characters of a text column: for each stored character, its
 * offset in the joined texts. At each position, longer texts come first.
 */
function columnOrder(lengths: readonly number[]): Uint32Array {
  let total = 0
  const texts = lengths.map((length) => ({ length, start: (total += length) - length }))
  texts.sort((one, other) => other.length - one.length)
  const order = new Uint32Array(total)
  for (let at = 0, position = 0; at < total; position++) {
    while ((texts.at(-1)?.length ?? 0) <= position) texts.pop()
    for (const { start } of texts) order[at++] = start + position
  }
  return order
}
