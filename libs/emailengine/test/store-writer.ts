import { createCipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { encode } from '@msgpack/msgpack'
import { createClient } from '@redis/client'

/** Record of an EmailEngine entity, as EmailEngine's own code passes the record to its store. */
export type StoredRecord = Record<string, unknown>

/**
 * Encrypts texts as EmailEngine does. One instance stands for one run of an EmailEngine process,
 * whose values share a salt.
 */
export class Sealer {
  readonly #salt = randomBytes(16)
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = scryptSync(secret, this.#salt, 32)
  }

  seal(text: string): string {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv)
    const data = Buffer.concat([cipher.update(text), cipher.final()])
    const parts = [cipher.getAuthTag(), iv, this.#salt, data].map((part) => part.toString('hex'))
    return ['$wd01', 'aes-256-gcm', ...parts].join('$')
  }
}

/** Id under which EmailEngine stores an access token. */
export function tokenIdOf(token: string): string {
  return createHash('sha256').update(Buffer.from(token, 'hex')).digest('hex')
}

/** Writes the store of an EmailEngine instance into a Redis, in the layout of its release 2. */
export class StoreWriter implements AsyncDisposable {
  readonly #redis: ReturnType<typeof createClient>
  readonly #prefix: string

  constructor(url: string, prefix = '') {
    this.#redis = createClient({ url, commandOptions: { timeout: 0 } })
    this.#prefix = prefix
  }

  /** Connects to Redis and deletes the data in the database. */
  async connect(): Promise<this> {
    await this.resume()
    await this.#redis.flushDb()
    return this
  }

  /** Connects to Redis without deleting the data in the database. */
  async resume(): Promise<this> {
    await this.#redis.connect()
    return this
  }

  async account(id: string, fields: Record<string, string>): Promise<void> {
    await Promise.all([
      this.#redis.sAdd(this.#key('ia:accounts'), id),
      this.#redis.hSet(this.#key(`iad:${id}`), { account: id, state: 'connected', ...fields }),
    ])
  }

  async application(id: string, record: StoredRecord): Promise<void> {
    await this.#redis.sAdd(this.#key('oapp:i'), id)
    await this.#pack('oapp:c', `${id}:data`, { id, ...record })
  }

  async gateway(id: string, fields: Record<string, string>): Promise<void> {
    await this.#redis.sAdd(this.#key('gateways'), id)
    await this.#redis.hSet(this.#key(`gateway:${id}`), { gateway: id, deliveries: '3', ...fields })
  }

  async template(
    id: string,
    account: string,
    record: { meta: StoredRecord; content: StoredRecord },
  ) {
    await this.#redis.sAdd(this.#key(`tpl:${account}:i`), id)
    await this.#pack(`tpl:${account}:c`, `${id}:meta`, { id, ...record.meta })
    await this.#pack(`tpl:${account}:c`, `${id}:content`, record.content)
  }

  async route(id: string, record: { meta: StoredRecord; content: StoredRecord }): Promise<void> {
    await this.#redis.sAdd(this.#key('wh:i'), id)
    await this.#pack('wh:c', `${id}:meta`, { id, ...record.meta })
    await this.#pack('wh:c', `${id}:content`, record.content)
  }

  async blocked(list: string, address: string, record: StoredRecord | string): Promise<void> {
    const text = typeof record === 'string' ? record : JSON.stringify(record)
    await this.#redis.hSet(this.#key(`lists:unsub:entries:${list}`), address, text)
    await this.#redis.hIncrBy(this.#key('lists:unsub:lists'), list, 1)
  }

  async token(token: string, record: StoredRecord): Promise<string> {
    const id = tokenIdOf(token)
    const account = record['account']
    await this.#redis.sAdd(this.#key(typeof account === 'string' ? `iat:${account}` : 'iat'), id)
    await this.#pack('tokens', id, record)
    return id
  }

  async setting(name: string, value: unknown): Promise<void> {
    await this.#redis.hSet(this.#key('settings'), name, JSON.stringify(value))
  }

  /** Writes a field of a Redis hash without encoding, for broken values. */
  async raw(key: string, field: string, value: Buffer | string): Promise<void> {
    await this.#redis.hSet(this.#key(key), field, value)
  }

  /** Adds an id without an entity to a Redis set. */
  async id(key: string, id: string): Promise<void> {
    await this.#redis.sAdd(this.#key(key), id)
  }

  /** Sends a Redis command, for example to write a key of another type. */
  command(...args: string[]): Promise<unknown> {
    return this.#redis.sendCommand(args)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#redis.close()
  }

  #key(name: string): string {
    return `${this.#prefix}${name}`
  }

  async #pack(key: string, field: string, record: StoredRecord): Promise<void> {
    await this.raw(key, field, Buffer.from(encode(record, { ignoreUndefined: true })))
  }
}
