import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Entry of the token log: one use of an access token, or a rejected attempt. Contains no token
 * value.
 */
export interface TokenLogEntry {
  /** Id of the access token. */
  token: string
  ip: string
  /** Method of the logged HTTP request; for a login at a mail proxy, the scope of the proxy. */
  method: string
  /**
   * Path of the logged HTTP request; for a login at a mail proxy, the command of the mail client.
   */
  path: string
  action: string
  group: string
  account: string | null
  /** Reason for which the use of the access token was rejected; null if the use was allowed. */
  denied: string | null
}

export type TimedEntry = TokenLogEntry & { at: Date }

/**
 * Maximum length of a text in the token log. Longer texts, such as request paths of up to 16 KB,
 * are truncated.
 */
const maxLength = 1_024

/**
 * Inserts entries of the access token log in one statement. Truncates texts and removes U+0000,
 * which Postgres rejects.
 */
export async function insertTokenLog(db: Db, entries: readonly TimedEntry[]): Promise<void> {
  const texts = (key: keyof TokenLogEntry) =>
    entries.map((entry) => entry[key]?.replaceAll('\0', '').slice(0, maxLength) ?? null)
  await sql`
    insert into token_log (token, at, ip, method, path, action, action_group, account, denied)
    select * from unnest(
      ${texts('token')}::text[], ${entries.map(({ at }) => at)}::timestamptz[], ${texts('ip')}::text[],
      ${texts('method')}::text[], ${texts('path')}::text[], ${texts('action')}::text[],
      ${texts('group')}::text[], ${texts('account')}::text[], ${texts('denied')}::text[]
    )
  `.execute(db)
}
