import { bitRowsOf, hasBit, markMessages, setBit, unmarkedMessage } from './bit-rows.ts'
import { PackedReader, PackedWriter } from './front-coding.ts'
import type { IndexedMessage } from './indexed-message.ts'

/**
 * Packs messages with sorted ids into a leaf (block) of the message index: front-coded ids and
 * thread ids, then one bit row per folder, flag and label. With ids of 16 hexadecimal digits, a
 * message takes about 15 to 20 bytes. Pure.
 */
export function encodeFrontCoded(messages: readonly IndexedMessage[]): Buffer {
  const writer = new PackedWriter()
  writer.integer(messages.length)
  writer.startTexts()
  for (const { id } of messages) writer.text(id)
  writeThreads(writer, messages)
  const rows = bitRowsOf(messages)
  writer.integer(rows.length)
  writer.startTexts()
  for (const [name, bits] of rows) {
    writer.text(name)
    writer.bytes(trim(bits))
  }
  return writer.finish()
}

/**
 * Unpacks the messages of a front-coded leaf (block of the message index).
 *
 * @throws Error if the bytes are damaged. Pure.
 */
export function decodeFrontCoded(bytes: Uint8Array): IndexedMessage[] {
  const reader = new PackedReader(bytes)
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

/**
 * Writes the thread ids of messages, each thread id once. A thread id that equals the message id
 * (first message of a thread at Gmail) takes one bit. A repeated thread id takes a small number.
 * Messages that arrived together have neighbouring thread ids, which front coding shortens.
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

/** Removes the trailing zero bytes of a bit row (one bit per message). */
function trim(bits: Uint8Array): Uint8Array {
  let length = bits.length
  while (length > 0 && bits[length - 1] === 0) length--
  return bits.subarray(0, length)
}
