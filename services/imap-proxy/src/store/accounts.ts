import type { ImapConfig, ImapDisabled } from '@posthorn/contracts'
import type { Db, StoredServer } from '@posthorn/db'
import { sql } from 'kysely'

export type StoredImap = StoredServer<ImapConfig>
type AnyImap = StoredServer<ImapConfig | ImapDisabled>

/** What an account says of IMAP; null where it has none, undefined where there is no such account. */
export async function findImap(db: Db, account: string): Promise<AnyImap | null | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select('imap')
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.imap
}

/** Those of the accounts that are still there and still have IMAP. */
export async function listUsableAccounts(
  db: Db,
  accounts: readonly string[],
): Promise<Set<string>> {
  if (accounts.length === 0) return new Set()
  const rows = await db
    .selectFrom('accounts')
    .select(['account', 'imap'])
    .where('account', '=', sql<string>`any(${accounts})`)
    .execute()
  return new Set(rows.filter(({ imap }) => isUsable(imap)).map(({ account }) => account))
}

export function isUsable(imap: AnyImap | null): imap is StoredImap {
  return imap !== null && imap.disabled !== true
}
