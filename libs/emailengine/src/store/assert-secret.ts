import { AppError } from '@posthorn/errors'
import { findSealedValues, type ValueUnsealer } from '../sealed-values.ts'
import { UnreadableError } from '../unreadable-error.ts'
import type { Keys } from './keys.ts'
import type { RedisReader } from './redis-reader.ts'

const secretSettings = ['serviceSecret', 'smtpServerPassword', 'imapProxyServerPassword']

/**
 * Maximum number of encrypted values with which EmailEngine's secret is tried. Single values can be
 * damaged.
 */
const maxTries = 20

interface SecretCheck {
  reader: RedisReader
  keys: Keys
  unsealer: ValueUnsealer
}

/**
 * Checks that EmailEngine's secret decrypts encrypted values of the store, if there are any.
 * Settings and the first accounts are tried.
 *
 * @throws AppError `invalid` if no tried value can be decrypted
 */
export async function assertSecret({ reader, keys, unsealer }: SecretCheck): Promise<void> {
  let tries = 0
  for await (const value of sampleValues(reader, keys)) {
    if ((await unsealer.unseal(value)) !== undefined) return
    tries++
    if (tries === maxTries) break
  }
  if (tries === 0) return
  throw new AppError(
    'invalid',
    'The secret does not decrypt the values of the store: pass the secret of the EmailEngine instance (EENGINE_SECRET)',
  )
}

async function* sampleValues(reader: RedisReader, keys: Keys): AsyncGenerator<string> {
  for await (const text of sampleTexts(reader, keys)) yield* findSealedValues(text)
}

/**
 * Texts of EmailEngine's store that may contain encrypted values. Unreadable values are left out.
 */
async function* sampleTexts(reader: RedisReader, keys: Keys): AsyncGenerator<string> {
  yield* await textsOf(reader, keys.settings, secretSettings)
  const ids = await ignoreUnreadable([], async () => {
    for await (const page of reader.members(keys.accountIds)) return page
    return []
  })
  for (const id of ids) yield* await textsOf(reader, keys.account(id), ['imap', 'smtp', 'oauth2'])
}

const textsOf = (reader: RedisReader, key: string, names: readonly string[]) =>
  ignoreUnreadable<string[]>([], async () =>
    Object.values(await reader.values(key, names)).map(String),
  )

async function ignoreUnreadable<T>(substitute: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof UnreadableError) return substitute
    throw error
  }
}
