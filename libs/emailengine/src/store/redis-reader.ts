import { UnreadableError } from '../unreadable-error.ts'
import { commandError, endConnection, type RedisConnection } from './connect.ts'

/** Number of elements that Redis should return per page. Redis may return more elements. */
const pageSize = 100

/**
 * Maximum size of a value in EmailEngine's store. Templates, the largest values, have two texts of
 * at most 5 MiB.
 */
export const maxValueBytes = 16 * 1024 * 1024

/** Field of a Redis hash with its value. */
export type HashField = readonly [field: string, value: Buffer]

/**
 * Reads sets and hashes of Redis. Sends reading commands only, and commands whose duration does not
 * depend on the size of the database.
 */
export class RedisReader {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  /**
   * Returns the members of a Redis set in pages. A member can be returned twice if the set is
   * changed meanwhile.
   *
   * @throws UnreadableError if the key has another type
   */
  async *members(key: string): AsyncGenerator<string[]> {
    let cursor = '0'
    do {
      const page = await run(this.#redis.sScan(key, cursor, { COUNT: pageSize }))
      cursor = String(page.cursor)
      if (page.members.length > 0) yield page.members.map(String)
    } while (cursor !== '0')
  }

  /**
   * Returns the fields of a Redis hash in pages. A field can be returned twice if the hash is
   * changed meanwhile.
   *
   * @throws UnreadableError if the key has another type
   */
  async *fields(key: string): AsyncGenerator<HashField[]> {
    let cursor = '0'
    do {
      const page = await run(this.#redis.hScan(key, cursor, { COUNT: pageSize }))
      cursor = String(page.cursor)
      if (page.entries.length > 0)
        yield page.entries.map(({ field, value }) => [String(field), value] as const)
    } while (cursor !== '0')
  }

  /**
   * Reads fields of a Redis hash. Fields that do not exist are absent from the result. The sizes
   * are read first, so that oversized values are not transferred.
   *
   * @throws UnreadableError if a value is too large, or if the key has another type
   */
  async values<Name extends string>(
    key: string,
    names: readonly Name[],
  ): Promise<Partial<Record<Name, Buffer>>> {
    const replies = names.map((name) => this.#redis.hStrLen(key, name))
    const sizes = (await run(Promise.all(replies))).map(Number)
    for (const size of sizes) assertSize(size)
    const existing = names.filter((_, at) => (sizes[at] ?? 0) > 0)
    if (existing.length === 0) return {}
    const values = await run(this.#redis.hmGet(key, existing))
    const entries = existing.flatMap((name, at) => {
      const value = values[at] as Buffer | null | undefined
      return value ? [[name, value] as const] : []
    })
    return Object.fromEntries(entries) as Partial<Record<Name, Buffer>>
  }

  exists(keys: readonly string[]): Promise<number> {
    return run(this.#redis.exists([...keys]))
  }

  /** Number of members of a Redis set, or 0 if the key has another type. */
  memberCount(key: string): Promise<number> {
    return countOf(this.#redis.sCard(key))
  }

  /** Number of fields of a Redis hash, or 0 if the key has another type. */
  fieldCount(key: string): Promise<number> {
    return countOf(this.#redis.hLen(key))
  }

  /** Ends the Redis connection. Can be called more than once. */
  close(): void {
    endConnection(this.#redis)
  }
}

/**
 * Checks the size of a stored value of EmailEngine.
 * @throws UnreadableError if the value is too large
 */
export function assertSize(bytes: number): void {
  if (bytes > maxValueBytes)
    throw new UnreadableError(`a value has ${bytes} bytes, more than ${maxValueBytes}`)
}

async function run<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply
  } catch (error) {
    throw commandError(error)
  }
}

async function countOf(reply: Promise<number>): Promise<number> {
  try {
    return await run(reply)
  } catch (error) {
    if (error instanceof UnreadableError) return 0
    throw error
  }
}
