import { apiFlags, emptyMessage, type IndexedMessage } from './indexed-message.ts'
import { PackedReader, PackedWriter } from './front-coding.ts'

/** First byte of the content. Another value is a format of another release. */
const format = 2

// Names of bit rows: one letter for the kind, then a folder, label or flag.
const [folderRow, labelRow, flagRow] = ['/', '#', '!']
const recentRow = `${flagRow}recent`

/**
 * Packs messages with sorted ids: front-coded ids and thread ids, then one bit row per folder, flag
 * and label. A message with 16 hexadecimal digits takes about 15 to 20 bytes. Pure.
 */
export function encodeLeaf(messages: readonly IndexedMessage[]): Buffer {
  const writer = new PackedWriter()
  writer.integer(format)
  writer.integer(messages.length)
  writer.startTexts()
  for (const { id } of messages) writer.text(id)
  writeThreads(writer, messages)
  const rows = bitRowsOf(messages)
  const names = [...rows.keys()].sort()
  writer.integer(names.length)
  writer.startTexts()
  for (const name of names) {
    writer.text(name)
    writer.bytes(trim(rows.get(name) ?? new Uint8Array()))
  }
  return writer.finish()
}

/** Messages of a leaf. @throws Error if the content is damaged. Pure. */
export function decodeLeaf(content: Uint8Array): IndexedMessage[] {
  const reader = new PackedReader(content)
  if (reader.integer() !== format) throw new Error('unreadable format of an index leaf')
  const count = reader.integer()
  reader.startTexts()
  const ids = Array.from({ length: count }, () => reader.text())
  const threads = readThreads(reader, ids)
  const messages = ids.map((id, at) => unmarkedMessage(id, threads[at]))
  const names = reader.integer()
  reader.startTexts()
  for (let index = 0; index < names; index++) {
    const name = reader.text()
    markMessages(messages, name, reader.bytes())
  }
  return messages
}

/** Message whose labels are being read. */
type UnpackedMessage = IndexedMessage & { labels: string[] }

function unmarkedMessage(id: string, threadId: string | undefined): UnpackedMessage {
  const message = { ...emptyMessage(id), labels: [] }
  return threadId === undefined ? message : { ...message, threadId }
}

/** Sets a folder, label or flag in the messages of its bit row. */
function markMessages(messages: readonly UnpackedMessage[], name: string, bits: Uint8Array): void {
  const [kind, value] = [name.charAt(0), name.slice(1)]
  const flag = kind === flagRow ? apiFlags.find((each) => each === value) : undefined
  for (const [index, byte] of bits.entries()) {
    if (byte === 0) continue
    for (let bit = 0; bit < 8; bit++) {
      const message = (byte & (1 << bit)) === 0 ? undefined : messages[index * 8 + bit]
      if (!message) continue
      if (kind === labelRow) message.labels.push(value)
      else if (kind === folderRow) message.folderId = value
      else if (flag) message[flag] = true
      else if (name === recentRow) message.recent = true
    }
  }
}

/**
 * Thread ids, each once: the first message of a thread has its id (Gmail), and messages that
 * arrived together have neighbouring ids. Such messages take a bit, or the number of a thread id.
 */
function writeThreads(writer: PackedWriter, messages: readonly IndexedMessage[]): void {
  const length = Math.ceil(messages.length / 8)
  const [own, repeated] = [new Uint8Array(length), new Uint8Array(length)]
  const numbers = new Map<string, number>()
  const repeats: number[] = []
  for (const [at, { id, threadId = '' }] of messages.entries()) {
    const number = numbers.get(threadId)
    if (threadId === id) setBit(own, at)
    else if (number === undefined) numbers.set(threadId, numbers.size)
    else {
      setBit(repeated, at)
      repeats.push(number)
    }
  }
  writer.bytes(own)
  writer.bytes(trim(repeated))
  for (const number of repeats) writer.integer(number)
  writer.startTexts()
  for (const threadId of numbers.keys()) writer.text(threadId)
}

function readThreads(reader: PackedReader, ids: readonly string[]): (string | undefined)[] {
  const [own, repeated] = [reader.bytes(), reader.bytes()]
  const numbers = ids.map((_, at) => (hasBit(repeated, at) ? reader.integer() : undefined))
  const threads: string[] = []
  reader.startTexts()
  return ids.map((id, at) => {
    const number = numbers[at]
    if (hasBit(own, at)) return id
    if (number === undefined) threads.push(reader.text())
    return threads[number ?? threads.length - 1] || undefined
  })
}

function bitRowsOf(messages: readonly IndexedMessage[]): Map<string, Uint8Array> {
  const rows = new Map<string, Uint8Array>()
  const length = Math.ceil(messages.length / 8)
  for (const [at, message] of messages.entries())
    for (const name of marksOf(message)) {
      const row = rows.get(name) ?? new Uint8Array(length)
      rows.set(name, row)
      setBit(row, at)
    }
  return rows
}

function marksOf(message: IndexedMessage): string[] {
  const marks = message.labels.map((label) => labelRow + label)
  for (const flag of apiFlags) if (message[flag]) marks.push(flagRow + flag)
  if (message.folderId !== undefined) marks.push(folderRow + message.folderId)
  if (message.recent) marks.push(recentRow)
  return marks
}

function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
}

function hasBit(bits: Uint8Array, at: number): boolean {
  return ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0
}

/** Without trailing zero bytes. */
function trim(bits: Uint8Array): Uint8Array {
  let length = bits.length
  while (length > 0 && bits[length - 1] === 0) length--
  return bits.subarray(0, length)
}
