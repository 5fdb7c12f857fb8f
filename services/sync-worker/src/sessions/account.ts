import type { ImapConfig } from '@posthorn/contracts'
import type { StoredServer } from '@posthorn/db'
import type { AccountRow } from '../store/accounts.ts'
import type { AccountLease } from '../store/lease.ts'

/** An account with a mailbox server, as one registration of it describes it. */
export interface Account {
  readonly account: string
  readonly version: string
  readonly lease: AccountLease
  /** Part of every event id: an account that is deleted and registered anew is another one, and so is one that was flushed. */
  readonly registeredAt: number
  readonly imap: StoredServer<ImapConfig>
  /** Only these mailboxes are looked after: paths or special uses. All where it is empty. */
  readonly paths: readonly string[]
  /** Mailboxes, by path or special use, that get a connection of their own. */
  readonly subconnections: readonly string[]
  /** How mailboxes are remembered; the settings say it for accounts that do not. */
  readonly imapIndexer: 'full' | 'fast' | null
  readonly notifyFrom: Date
  /** Of a proxy that the server is reached through. */
  readonly proxy: string | null
  /** What is said to the server is stored. */
  readonly logs: boolean
}

/** The account as its session works with it; undefined where there is no server to connect to. */
export function toAccount(row: AccountRow, lease: AccountLease): Account | undefined {
  if (!row.imap || row.imap.disabled) return undefined
  return {
    account: row.account,
    version: row.version,
    lease,
    registeredAt: row.createdAt.getTime() + Number(row.flushEpoch),
    imap: row.imap,
    paths: (row.path ?? []).filter((path) => path !== '*'),
    subconnections: row.subconnections ?? [],
    imapIndexer: row.imapIndexer,
    notifyFrom: row.notifyFrom,
    proxy: row.proxy,
    logs: row.logs,
  }
}
