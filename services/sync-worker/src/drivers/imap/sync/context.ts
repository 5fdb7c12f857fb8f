import type { MailSession } from '@posthorn/backends'
import type { KeyedMutex } from '@posthorn/flow'
import type { MessageReader } from '@posthorn/message-reader'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../../../config.ts'
import type { CommitDeps } from '../../../events/commit.ts'
import type { MailboxIndex } from '../index/mailbox-index.ts'
import type { WorkerMetrics } from '../../../metrics.ts'
import type { Account, ImapAccount } from '../../../store/accounts.ts'
import type { AccountLease } from '../../../store/lease.ts'
import type { EmptyMailbox } from '../../../store/mailbox-sync-state.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import type { Summaries } from '../../../summaries/summaries.ts'
import type { ShortLists } from './short-lists.ts'
import type { UidValidityGuard } from './uid-validity.ts'
import type { ParkedMailboxes } from './mailbox-list/parked-mailboxes.ts'

/** Dependencies of all syncs of IMAP mailboxes of a worker. */
export interface SyncDeps extends CommitDeps {
  readonly config: Pick<
    Config,
    'mailboxPollMs' | 'shortListMs' | 'reconnectMinMs' | 'reconnectMaxMs'
  >
  readonly metrics: WorkerMetrics
  readonly indexEmpty: IndexEmpty
  readonly summaries: Summaries
  readonly reader: Pick<MessageReader, 'forAccount'>
}

/** Mailboxes of one account that are empty and were never synced. */
export interface EmptyMailboxes {
  readonly lease: AccountLease
  readonly account: Account
  readonly mailboxes: readonly EmptyMailbox[]
}

/**
 * Runs the initial sync of empty mailboxes, for which their counters are sufficient. Records the
 * `mailboxNew` events. Returns the new mailbox rows by id. Leaves out mailboxes that another
 * connection has synced in the meantime.
 */
export type IndexEmpty = (input: EmptyMailboxes) => Promise<ReadonlyMap<string, MailboxRow>>

/** IMAP connection of an account that syncs mailboxes, and all objects that a sync needs. */
export interface SyncContext {
  readonly deps: SyncDeps
  readonly account: ImapAccount
  readonly session: MailSession
  /**
   * Id of the mailbox that is selected on the IMAP connection of this sync. Notifications of this
   * mailbox are buffered until the next watch.
   */
  readonly selection: { mailbox: string | undefined }
  /** Opens another IMAP connection to the account's mail server. */
  readonly connect: (signal: AbortSignal) => Promise<MailSession>
  /**
   * Locks of mailboxes, by id, and a lock for the mailbox list. Shared by all connections of the
   * account.
   */
  readonly locks: KeyedMutex
  /**
   * Number of messages in each mailbox when it was last selected, by mailbox id. Used by commands
   * on other connections.
   */
  readonly messageCounts: Map<string, number>
  /**
   * Mailboxes at whose SELECT or STATUS the IMAP connection ends. Shared by all connections of the
   * account.
   */
  readonly parked: ParkedMailboxes
  /** Guard against wrong UIDVALIDITY values. Shared by all connections of the account that sync. */
  readonly uidValidityGuard: UidValidityGuard
  /** Mailboxes whose lists of messages are too short. Shared by all connections of the account. */
  readonly shortLists: ShortLists
  /** Signal that aborts when the sync of the account has to stop. */
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Properties of a `SyncContext` that are needed to read and change the mailbox list. */
export type ListContext = Pick<SyncContext, 'deps' | 'account' | 'session' | 'locks'>

/** Context of the sync of the selected mailbox, with the row and the index of the mailbox. */
export interface MailboxContext extends SyncContext {
  readonly row: MailboxRow
  readonly index: MailboxIndex
}
