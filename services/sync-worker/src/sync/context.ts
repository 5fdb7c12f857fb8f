import type { MailSession } from '@posthorn/backends'
import type { Logger } from '@posthorn/telemetry'
import type { Deps } from '../deps.ts'
import type { MailboxIndex } from '../index/mailbox-index.ts'
import type { Account } from '../sessions/account.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import type { MailboxLocks } from './locks.ts'
import type { UidValidityGuard } from './changes/uid-validity.ts'

/** One account's connection that syncs, and what is needed around it. */
export interface SyncContext {
  readonly deps: Deps
  readonly account: Account
  readonly session: MailSession
  /** Which mailbox is open on it, by id. What happens there is kept for the next watch. */
  readonly selection: { mailbox: string | undefined }
  /** Logs in once more. */
  readonly connect: (signal: AbortSignal) => Promise<MailSession>
  /** Shared by all that work on the account, as are the doubts by those that sync. */
  readonly locks: MailboxLocks
  readonly uidValidityGuard: UidValidityGuard
  /** Aborted when the work is to end. */
  readonly signal: AbortSignal
  readonly log: Logger
}

/** What the list of mailboxes is looked at with. */
export type ListContext = Pick<SyncContext, 'deps' | 'account' | 'session' | 'locks'>

/** A mailbox that is open on that connection, and what is known of it. */
export interface MailboxContext extends SyncContext {
  readonly row: MailboxRow
  readonly index: MailboxIndex
}
