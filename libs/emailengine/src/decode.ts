import { Decoder, ExtensionCodec } from '@msgpack/msgpack'
import { UnreadableError } from './unreadable-error.ts'

/** Maximum number of items of one list, or members of one object, in MessagePack of EmailEngine. */
const maxItems = 100_000

const extensions = new ExtensionCodec()
// EmailEngine writes `undefined` as an extension of the type 0.
extensions.register({ type: 0, encode: () => null, decode: () => undefined })

const decoder = new Decoder({
  extensionCodec: extensions,
  maxArrayLength: maxItems,
  maxMapLength: maxItems,
})

/** Object from EmailEngine's store, whose members can be anything. */
export type StoredObject = Readonly<Record<string, unknown>>

/**
 * Decodes an object of EmailEngine from MessagePack.
 *
 * @throws UnreadableError
 */
export function unpack(bytes: Uint8Array): StoredObject {
  return toObject('MessagePack', () => decoder.decode(bytes))
}

/**
 * Parses an object of EmailEngine from JSON.
 *
 * @throws UnreadableError
 */
export function parseObject(text: string): StoredObject {
  return toObject('JSON', () => JSON.parse(text) as unknown)
}

function toObject(format: string, decode: () => unknown): StoredObject {
  let value: unknown
  try {
    value = decode()
  } catch {
    throw new UnreadableError(`the value is not valid ${format}`)
  }
  if (isObject(value)) return value
  throw new UnreadableError('the value is not an object')
}

export function isObject(value: unknown): value is StoredObject {
  if (value === null || typeof value !== 'object') return false
  return Object.getPrototypeOf(value) === Object.prototype
}

/** Parses JSON in EmailEngine's store. Returns a text that is not JSON unchanged. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
