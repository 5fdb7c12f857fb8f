import type { ImapConfig, ImapDisabled } from '@posthorn/contracts'
import type { Db, StoredServer } from '@posthorn/db'
import { sql } from 'kysely'

type AnyImap = StoredServer<ImapConfig | ImapDisabled>

/** Where an account's mail is, and how it is reached. */
export interface StoredImap {
  server: StoredServer<ImapConfig>
  /** URL of a proxy of the account's own. */
  proxy: string | null
}

/** What an account says of IMAP; null where it has none or it is disabled, undefined where there is no such account. */
export async function findImap(db: Db, account: string): Promise<StoredImap | null | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(['imap', 'proxy'])
    .where('account', '=', account)
    .executeTakeFirst()
  if (!row) return undefined
  return isUsable(row.imap) ? { server: row.imap, proxy: row.proxy } : null
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

function isUsable(imap: AnyImap | null): imap is StoredServer<ImapConfig> {
  return imap !== null && imap.disabled !== true
}
