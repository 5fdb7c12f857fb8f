import { accountTypeOf } from '@posthorn/contracts/account-types'
import type { ImapConfig } from '@posthorn/contracts/schemas/mail-server'
import type { Accounts, Db, StoredServer } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'

type ServerColumns = Pick<Selectable<Accounts>, 'backend' | 'imap'>

/** IMAP server of an account and the network proxy through which the server is reached. */
export interface StoredImap {
  server: StoredServer<ImapConfig>
  /**
   * True if a tenant has chosen the IMAP server, which may be any host of the operator's network.
   */
  isTenantsServer: boolean
  /** URL of the network proxy for connections of the account. The login in the URL is encrypted. */
  proxy: string | null
}

/**
 * Finds the IMAP server of an account. Null if IMAP is disabled, undefined if the account is
 * unknown.
 */
export async function findImap(db: Db, account: string): Promise<StoredImap | null | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(['backend', 'imap', 'proxy', 'tenantSet'])
    .where('account', '=', account)
    .executeTakeFirst()
  if (!row) return undefined
  const server = serverOf(row)
  const isTenantsServer = row.tenantSet.includes('imap')
  return server && { server, isTenantsServer, proxy: row.proxy }
}

/** Returns which of the given accounts exist and have IMAP enabled. */
export async function listUsableAccounts(
  db: Db,
  accounts: readonly string[],
): Promise<Set<string>> {
  if (accounts.length === 0) return new Set()
  const rows = await db
    .selectFrom('accounts')
    .select(['account', 'backend', 'imap'])
    .where('account', '=', sql<string>`any(${accounts})`)
    .execute()
  return new Set(rows.filter((row) => serverOf(row) !== null).map(({ account }) => account))
}

/**
 * IMAP server of an account. Null if IMAP is disabled, and for accounts of a mail API, which
 * clients cannot reach by IMAP.
 */
function serverOf(account: ServerColumns): StoredServer<ImapConfig> | null {
  const { imap } = account
  const isRead = accountTypeOf(account).readsBy === 'imap'
  return isRead && imap && imap.disabled !== true ? imap : null
}
