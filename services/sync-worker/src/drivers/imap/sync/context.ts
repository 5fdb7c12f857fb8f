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
import type { EmptyMailbox, MailboxRow } from '../../../store/mailboxes.ts'
import type { Summaries } from '../../../summaries/summaries.ts'
import type { ShortLists } from './short-lists.ts'
import type { UidValidityGuard } from './uid-validity.ts'
import type { ParkedMailboxes } from './mailbox-list/parked-mailboxes.ts'

/** Dependencies of all mailbox syncs of a worker. */
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

/** Mailboxes of one account without messages that were never synced. */
export interface EmptyMailboxes {
  readonly lease: AccountLease
  readonly account: Account
  readonly mailboxes: readonly EmptyMailbox[]
}

/**
 * Runs the initial sync of empty mailboxes from their counters alone. Records `mailboxNew` of the
 * mailboxes. Returns the new mailbox rows by id, without mailboxes that another connection synced
 * in the meantime.
 */
export type IndexEmpty = (input: EmptyMailboxes) => Promise<ReadonlyMap<string, MailboxRow>>

/** Connection of an account that syncs mailboxes, with all objects that a sync needs. */
export interface SyncContext {
  readonly deps: SyncDeps
  readonly account: ImapAccount
  readonly session: MailSession
  /**
   * Id of the selected mailbox. The backend buffers notifications of the mailbox until the next
   * watch.
   */
  readonly selection: { mailbox: string | undefined }
  /** Opens another connection to the account's mail server. */
  readonly connect: (signal: AbortSignal) => Promise<MailSession>
  /** One lock per mailbox id, and one for the mailbox list. Shared by all connections. */
  readonly locks: KeyedMutex
  /**
   * Messages per mailbox id at the last selection of the mailbox, for commands on other
   * connections.
   */
  readonly messageCounts: Map<string, number>
  /** Mailboxes whose opening ends the connection. Shared by all connections of the account. */
  readonly parked: ParkedMailboxes
  /** Guard against stray UIDVALIDITY values. Shared by all connections of the account that sync. */
  readonly uidValidityGuard: UidValidityGuard
  /** Mailboxes with lists that are too short. Shared by all connections of the account. */
  readonly shortLists: ShortLists
  /** Signal that aborts when the sync has to stop. */
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Part of a `SyncContext` that reading and changing the mailbox list needs. */
export type ListContext = Pick<SyncContext, 'deps' | 'account' | 'session' | 'locks'>

/** Selected mailbox with its row and index. */
export interface MailboxContext extends SyncContext {
  readonly row: MailboxRow
  readonly index: MailboxIndex
}
