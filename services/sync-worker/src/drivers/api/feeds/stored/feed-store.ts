import type { IndexRepair, NamedFolder, NewEvent } from '@posthorn/db'
import type { SyncWarning } from '@posthorn/contracts/schemas/changes'
import type { Announcement } from '../../../../events/announce.ts'
import type { EventMailbox } from '../../../../events/mailbox-event.ts'

/** State of an account's message index, apart from the messages in the index. */
export interface MailboxState {
  /** Number of the last commit to the message index. Rises with each commit. */
  epoch: number
  /** Number of messages in the message index. */
  messages: number
  /**
   * Arrival time before which messages are not announced while the message index is being filled.
   * Null stands for `notifyFrom` of the account.
   */
  announceFrom: Date | null
  /** Time at which the message index was complete for the first time. Null before. */
  filledAt: Date | null
  /**
   * Time of the last pass over all feeds (lists of changes), with a precision of half an hour. Null
   * if not stored.
   */
  syncedAt: Date | null
  /** Comparison of the message index with a mailbox list. Null before the first comparison. */
  repair: IndexRepair | null
}

/**
 * Stage of a feed (list of changes). `follow` reads changes. `collect` reads the pages of a full
 * round (list of all messages). `recent` marks the messages of the first full round that may have
 * to be announced. `apply` compares the full round with the message index.
 */
export type FeedStage = 'follow' | 'collect' | 'recent' | 'apply'

/** Stored position in a feed (list of changes of a folder or mailbox). */
export interface FeedState {
  feed: string
  /** Folder that the feed (list of changes) covers. Null if the feed covers the whole mailbox. */
  folder: string | null
  stage: FeedStage
  /**
   * Position at the provider after which changes are read. Null if a full round (list of all
   * messages) is due. With stage `apply`, null means that the folder was deleted.
   */
  cursor: string | null
  /**
   * With stage `apply`: lowest message id to which the full round (list of all messages) was not
   * applied yet.
   */
  applied: string | null
  /**
   * Time at which the last full round (list of all messages) of the feed ended. Null together with
   * a cursor means that another full round is required.
   */
  completedAt: Date | null
  /**
   * True if the initial sync of the mailbox ended without this feed. The first full round (list of
   * all messages) of the feed then announces only messages that arrived recently, like an initial
   * sync.
   */
  isInitial: boolean
}

/**
 * Pending message: a feed (list of changes) named the message, but the provider did not return it.
 */
export interface PendingMessage {
  message: string
  folder: string | null
  /** Number of times that the pending message was read again without success. */
  tries: number
  nextAt: Date
}

export interface NewPendingMessage extends PendingMessage {
  /**
   * True if a feed (list of changes) named the message as present. The folder of this pending
   * message then replaces the stored folder.
   */
  isNamed: boolean
}

/** Leaf (block of sorted messages) of the message index, in the form in which leaves are stored. */
export interface StoredLeaf {
  low: string
  messages: number
  content: Uint8Array
  /**
   * Lowest message id (`low`) of the preceding leaf, if that leaf was loaded because this leaf is
   * small.
   */
  previous?: string
}

/**
 * Changed leaves (blocks of stored messages). `part` is empty for the message index, otherwise the
 * name of a feed whose full round (list of all messages) is collected.
 */
export interface PartChange {
  part: string
  /**
   * Lowest message ids (`low`) of the leaves (blocks of messages) to delete. `all` deletes all
   * leaves of the part before `saved` is stored.
   */
  deleted: readonly string[] | 'all'
  saved: readonly StoredLeaf[]
}

/** Messages of one mailbox whose `messageNew` events have to be recorded. */
export interface MailboxAnnouncements {
  mailbox: EventMailbox
  announcements: readonly Announcement[]
}

/**
 * Changes that one transaction stores: message index, feeds (lists of changes), pending messages
 * and events.
 */
export interface FeedCommit {
  /**
   * Expected epoch (commit number) of the stored message index; null if there must be no index. The
   * commit is rejected if the stored epoch differs, because another commit came in between.
   */
  epoch: number | null
  mailbox: MailboxState
  /**
   * True to first delete all leaves, feeds (lists of changes) and pending messages (to be read
   * again) of the account.
   */
  reset?: boolean
  /** Folders and labels whose names events may contain. */
  folders?: readonly NamedFolder[]
  /** Positions of feeds (lists of changes) to insert or replace. */
  feeds?: readonly FeedState[]
  deletedFeeds?: readonly string[]
  parts?: readonly PartChange[]
  /**
   * Pending messages (messages to read again) to insert into the table of pending messages. A
   * message in the table is not inserted again.
   */
  newPending?: readonly NewPendingMessage[]
  changedPending?: readonly PendingMessage[]
  deletedPending?: readonly string[]
  /**
   * Messages that left `folder` and wait to be announced there. A message that waits to be
   * announced in another folder still waits.
   */
  leftPending?: { readonly folder: string | null; readonly messages: readonly string[] }
  events?: readonly NewEvent[]
  announcements?: readonly MailboxAnnouncements[]
  warning?: SyncWarning
}

/** Ids of a message that may be the draft of a submission in flight. */
export interface DraftIdentity {
  id: string
  /** Value of the message's Message-ID header, with angle brackets. */
  messageId?: string
}

/**
 * Storage of one account's message index, feeds (lists of changes) and pending messages, under its
 * lease.
 */
export interface FeedStore {
  findMailbox(): Promise<MailboxState | undefined>
  /** True if the account was initialized. A missing message index of such an account was lost. */
  wasInitialized(): Promise<boolean>
  /** Number of messages in the stored leaves (blocks) of the message index. */
  countMessages(): Promise<number>
  /** Folders and labels that the provider listed last, including deleted folders and labels. */
  listFolders(): Promise<NamedFolder[]>
  listFeeds(): Promise<FeedState[]>
  /**
   * Loads the leaves (blocks of stored messages) that cover message ids. If a covering leaf has
   * fewer than `small` messages, also loads the preceding leaf.
   */
  loadLeaves(part: string, ids: readonly string[], small: number): Promise<StoredLeaf[]>
  /**
   * Loads at most `limit` leaves (blocks of stored messages) in order, starting with the leaf that
   * covers the message id `from`. `next` is the `low` of the first leaf that was not loaded.
   */
  scanLeaves(
    part: string,
    from: string,
    limit: number,
  ): Promise<{ leaves: StoredLeaf[]; next?: string }>
  /** Lists the pending messages (to be read again) whose next read is due, the earliest first. */
  listDuePending(now: Date, limit: number): Promise<PendingMessage[]>
  /**
   * Time at which the next pending message (named by a feed, but not returned) has to be read
   * again.
   */
  findNextPendingAt(): Promise<Date | undefined>
  /** Selects the ids of drafts that belong to submissions in flight. */
  findOwnDrafts(drafts: readonly DraftIdentity[]): Promise<ReadonlySet<string>>
  /**
   * Stores changes of the message index, of feed positions and of pending messages with their
   * events, in one transaction. Increments the epoch (commit number) of the index.
   * @throws AppError `stale` if the lease is lost, or `epoch` is not the stored epoch
   */
  commit(commit: FeedCommit): Promise<void>
}
