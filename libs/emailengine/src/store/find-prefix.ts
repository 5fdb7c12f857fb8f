import { AppError } from '@posthorn/errors'
import { keysOf } from './keys.ts'
import type { RedisReader } from './redis-reader.ts'

/**
 * Returns the prefix of Redis keys under which the database has data of EmailEngine. EmailEngine
 * adds a colon to a prefix without a colon at the end.
 *
 * @throws AppError `not-found`
 */
export async function findPrefix(reader: RedisReader, prefix: string): Promise<string> {
  const candidates = prefix === '' || prefix.endsWith(':') ? [prefix] : [`${prefix}:`, prefix]
  for (const candidate of candidates) {
    const { settings, accountIds } = keysOf(candidate)
    if ((await reader.exists([settings, accountIds])) > 0) return candidate
  }
  throw new AppError(
    'not-found',
    'The database has no data of EmailEngine: check the database number in the Redis URL and the prefix',
  )
}
