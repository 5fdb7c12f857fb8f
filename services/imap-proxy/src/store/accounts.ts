import type { ImapConfig, ImapDisabled } from '@posthorn/contracts'
import type { Db, StoredServer } from '@posthorn/db'
import { sql } from 'kysely'

type AnyImap = StoredServer<ImapConfig | ImapDisabled>

/** IMAP server of an account and its proxy. */
export interface StoredImap {
  server: StoredServer<ImapConfig>
  /** Proxy URL of the account, with a sealed login. */
  proxy: string | null
}

/**
 * Finds the IMAP server of an account. Null if IMAP is disabled, undefined if the account is
 * unknown.
 */
export async function findImap(db: Db, account: string): Promise<StoredImap | null | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(['imap', 'proxy'])
    .where('account', '=', account)
    .executeTakeFirst()
  if (!row) return undefined
  return isUsable(row.imap) ? { server: row.imap, proxy: row.proxy } : null
}

/** Returns the given accounts that exist and have IMAP enabled. */
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
