import type { IndexRepair, NamedFolder, NewEvent } from '@posthorn/db'
import type { SyncWarning } from '@posthorn/contracts/schemas/changes'
import type { Announcement } from '../../../../events/announce.ts'
import type { EventMailbox } from '../../../../events/mailbox-event.ts'

/** State of the message index of an account as a whole. */
export interface MailboxState {
  /** Number of the last commit of the message index. */
  epoch: number
  /** Number of messages in the message index. */
  messages: number
  /** Time from which arrivals are announced during the fill of the index. Null: `notifyFrom`. */
  announceFrom: Date | null
  /** Time at which the message index was filled. Null while the message index is being filled. */
  filledAt: Date | null
  /** Time of the last pass that read all feeds, to about half an hour. Null: not stored yet. */
  syncedAt: Date | null
  /** Comparison of the message index with a list of the whole mailbox. Null: none yet. */
  repair: IndexRepair | null
}

/**
 * Stage of a feed (list of changes). `follow` reads changes, `collect` reads the pages of a full
 * round (list of all messages). `recent` marks the messages of the first full round that are
 * announced. `apply` compares the round with the message index.
 */
export type FeedStage = 'follow' | 'collect' | 'recent' | 'apply'

/** Stored position in a feed (list of changes of a folder or mailbox). */
export interface FeedState {
  feed: string
  /** Folder that the feed covers. Null if the feed covers the whole mailbox. */
  folder: string | null
  stage: FeedStage
  /**
   * Position at the provider from which changes are read. Null: a full round is due; with stage
   * `apply`, the folder was deleted.
   */
  cursor: string | null
  /** With stage `apply`: the full round is applied to all message ids below. */
  applied: string | null
  /** End of the last full round of the feed. Null with a cursor: another full round is required. */
  completedAt: Date | null
  /**
   * True if the initial sync of the mailbox ended without the feed: the first full round of the
   * feed announces arrivals only, as an initial sync does.
   */
  isInitial: boolean
}

/** Message that a feed named and the provider did not return. */
export interface PendingMessage {
  message: string
  folder: string | null
  /** Number of further attempts to read the message so far. */
  tries: number
  nextAt: Date
}

export interface NewPendingMessage extends PendingMessage {
  /**
   * True if a feed named the message as present: its folder replaces the folder of a stored
   * message.
   */
  isNamed: boolean
}

/** Leaf (block of sorted messages) of the stored message index in its stored form. */
export interface StoredLeaf {
  low: string
  messages: number
  content: Uint8Array
  /** `low` of the leaf before. Present if that leaf was loaded because this leaf is small. */
  previous?: string
}

/**
 * Changed leaves (blocks of stored messages) of the message index (`part` empty), or of the
 * collected full round of a feed.
 */
export interface PartChange {
  part: string
  /** Leaves to delete, by `low`. `all` deletes all leaves of the part before `saved` is stored. */
  deleted: readonly string[] | 'all'
  saved: readonly StoredLeaf[]
}

/** Messages of one mailbox whose `messageNew` is due. */
export interface MailboxAnnouncements {
  mailbox: EventMailbox
  announcements: readonly Announcement[]
}

/** Changes that one transaction stores: message index, feeds, pending messages and events. */
export interface FeedCommit {
  /**
   * Epoch of the message index before the commit; null without an index. The commit is rejected if
   * another commit came in between.
   */
  epoch: number | null
  mailbox: MailboxState
  /** True to delete leaves, feeds and pending messages before other changes are stored. */
  reset?: boolean
  /** Folders and labels that events may name. */
  folders?: readonly NamedFolder[]
  /** Positions of feeds to insert or replace. */
  feeds?: readonly FeedState[]
  deletedFeeds?: readonly string[]
  parts?: readonly PartChange[]
  /** Pending messages to insert, unless the message is pending already. */
  newPending?: readonly NewPendingMessage[]
  changedPending?: readonly PendingMessage[]
  deletedPending?: readonly string[]
  /** Pending messages that left a folder. Messages that wait for another folder stay pending. */
  leftPending?: { readonly folder: string | null; readonly messages: readonly string[] }
  events?: readonly NewEvent[]
  announcements?: readonly MailboxAnnouncements[]
  warning?: SyncWarning
}

/** Identity of a message that may be the draft of a submission in flight. */
export interface DraftIdentity {
  id: string
  /** Message-ID header with angle brackets. */
  messageId?: string
}

/** Storage of message index, feeds and pending messages of one account, under its lease. */
export interface FeedStore {
  findMailbox(): Promise<MailboxState | undefined>
  /** True if the account was initialized, so that a missing message index was lost. */
  wasInitialized(): Promise<boolean>
  /** Number of messages in the stored leaves (blocks) of the message index. */
  countMessages(): Promise<number>
  /** Folders and labels of the last listings, including deleted folders and labels. */
  listFolders(): Promise<NamedFolder[]>
  listFeeds(): Promise<FeedState[]>
  /**
   * Loads the leaves (blocks of stored messages) that cover these ids. Also the leaf before each
   * covering leaf with fewer than `small` messages.
   */
  loadLeaves(part: string, ids: readonly string[], small: number): Promise<StoredLeaf[]>
  /**
   * Loads at most `limit` leaves (blocks of stored messages) in order, from the leaf that covers
   * `from`. `next` is `low` of the leaf after the loaded leaves.
   */
  scanLeaves(
    part: string,
    from: string,
    limit: number,
  ): Promise<{ leaves: StoredLeaf[]; next?: string }>
  /** Due pending messages, the earliest first. */
  listDuePending(now: Date, limit: number): Promise<PendingMessage[]>
  /** Time of the next attempt to read a pending message. */
  findNextPendingAt(): Promise<Date | undefined>
  /** Ids of messages that are drafts of submissions in flight. */
  findOwnDrafts(drafts: readonly DraftIdentity[]): Promise<ReadonlySet<string>>
  /**
   * Stores message index, cursor and events in one transaction. The epoch of the index rises by
   * one.
   * @throws AppError `stale` if the lease is lost, or `epoch` is not the stored epoch
   */
  commit(commit: FeedCommit): Promise<void>
}
