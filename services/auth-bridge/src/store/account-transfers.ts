import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { AppForBinding } from '../bound-secrets.ts'

/** Sealed (encrypted) credentials of an account, by kind. */
type SealedCredentials = Partial<Record<'imap' | 'smtp' | 'oauth2', string>>

const credentials = sql<SealedCredentials>`(
  select coalesce(jsonb_object_agg(kind, sealed), '{}') from credentials
  where credentials.account = accounts.account
)`

/**
 * OAuth2 tokens that were renewed from an account's present grant; null if there are none. Times of
 * grants are compared in milliseconds, because processes have copied them with this precision.
 */
const renewedTokens = sql<string | null>`(
  select tokens.sealed from oauth2_tokens tokens
  join credentials on credentials.account = tokens.account and credentials.kind = 'oauth2'
  where tokens.account = accounts.account
    and date_trunc('milliseconds', tokens.grant_updated_at) = date_trunc('milliseconds', credentials.updated_at)
)`

const app = sql<AppForBinding | null>`(
  select jsonb_build_object('id', id, 'provider', provider, 'config', config) from oauth2_apps
  where oauth2_apps.id = accounts.oauth2 ->> 'provider'
)`

/**
 * Lists accounts with all members that a registration sets, their sealed (encrypted) secrets and
 * their OAuth2 applications, in one statement.
 */
export function listTransferRows(db: Db, accounts: readonly string[]) {
  return db
    .selectFrom('accounts')
    .select(['account', 'name', 'email', 'expectedEmail', 'imap', 'smtp', 'oauth2', 'path'])
    .select(['subconnections', 'webhooks', 'webhooksCustomHeaders', 'copy', 'logs', 'paused'])
    .select(['notifyFrom', 'proxy', 'smtpEhloName', 'imapIndexer', 'locale', 'tz', 'tenantSet'])
    .select([credentials.as('credentials'), renewedTokens.as('renewedTokens'), app.as('app')])
    .where('account', '=', sql<string>`any(${[...accounts]}::text[])`)
    .orderBy('account')
    .execute()
}
export type TransferRow = Awaited<ReturnType<typeof listTransferRows>>[number]

/** Finds OAuth2 applications by id. Applications that do not exist are left out. */
export async function findTransferApps(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, AppForBinding>> {
  const rows = await db
    .selectFrom('oauth2Apps')
    .select(['id', 'provider', 'config'])
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
