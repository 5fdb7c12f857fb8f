import { parseObject, type StoredObject, tryParse, unpack } from '../decode.ts'
import { isSealed, type ValueUnsealer } from '../sealed-values.ts'
import { UnreadableError } from '../unreadable-error.ts'
import { assertSize, type RedisReader } from './redis-reader.ts'

/** Reads single values of EmailEngine's store: decodes them and decrypts their members. */
export class StoredValues {
  readonly #reader: RedisReader
  readonly #unsealer: ValueUnsealer

  constructor(reader: RedisReader, unsealer: ValueUnsealer) {
    this.#reader = reader
    this.#unsealer = unsealer
  }

  /**
   * Reads fields of a Redis hash with texts.
   *
   * @throws UnreadableError if the hash has none of the fields
   */
  async texts(key: string, names: readonly string[]): Promise<Record<string, string>> {
    const values = Object.entries(await this.#reader.values(key, names))
    if (values.length === 0) throw new UnreadableError('there is no data for the id')
    return Object.fromEntries(values.map(([name, value]) => [name, String(value)]))
  }

  /**
   * Reads fields of a Redis hash that contain objects in MessagePack.
   *
   * @throws UnreadableError if the hash does not have all fields
   */
  async objects(key: string, names: readonly string[]): Promise<StoredObject[]> {
    const values = await this.#reader.values(key, names)
    return Promise.all(
      names.map(async (name) => {
        const value = values[name]
        if (!value) throw new UnreadableError('there is no data for the id')
        return this.unpacked(value)
      }),
    )
  }

  /** Decodes and decrypts an object in MessagePack from EmailEngine's store. */
  async unpacked(value: Buffer): Promise<StoredObject> {
    assertSize(value.length)
    return this.decrypted(unpack(value))
  }

  /** Decodes and decrypts the JSON text of an object from EmailEngine's store. */
  async parsed(value: Buffer): Promise<StoredObject> {
    assertSize(value.length)
    return this.decrypted(parseObject(String(value)))
  }

  /** Decrypts the members of an object from EmailEngine's store. */
  async decrypted(value: StoredObject): Promise<StoredObject> {
    return (await this.#unsealer.unsealMembers(value)) as StoredObject
  }

  /**
   * Reads the text of an EmailEngine setting: JSON or plain text, which can be encrypted, also
   * inside JSON.
   */
  async settingText(value: Buffer): Promise<string> {
    assertSize(value.length)
    const text = String(value)
    const parsed = tryParse(text)
    return (await this.#unsealer.unsealMembers(isSealed(parsed) ? parsed : text)) as string
  }
}
