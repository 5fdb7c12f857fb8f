import type { LastError } from '@posthorn/contracts/schemas/account'
import type { ColumnType, Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Folder or label at a mail API, with the names that events contain. */
export interface NamedFolder {
  id: string
  /** Path of a mail folder as a list of names, from the top level to the folder itself. */
  path: string[]
  specialUse?: string
  /** Category (tab) of the Gmail inbox that corresponds to the label. */
  category?: string
  /**
   * True if a folder no longer exists at the mail provider. Its name is kept for changes that the
   * provider reports later.
   */
  former?: true
}

/**
 * State of a comparison of the message index with a listing of the whole mailbox. Times are in
 * epoch milliseconds.
 */
export interface IndexRepair {
  /**
   * Start of the current comparison of the message index with the mailbox. Absent if no comparison
   * is in progress.
   */
  startedAt?: number
  /**
   * Value of `filledAt` of the message index when the comparison started. If the index was filled
   * again since then, the comparison is void.
   */
  filledAt?: number
  /**
   * Cursor with which the listing of the mailbox continues. Absent before the listing begins and
   * after it is complete.
   */
  cursor?: string
  /**
   * Message id below which the message index was already compared with the listing of the mailbox.
   * Absent while the messages of the mailbox are being listed.
   */
  applied?: string
  /**
   * Number of differences between the message index and the mailbox that the current comparison has
   * repaired so far.
   */
  repaired?: number
  /** Time at which the next comparison of the message index with the mailbox begins. */
  nextAt?: number
}

/**
 * Index of the messages of an account at a mail API. Written by sync-worker, like the account's
 * change lists (feeds), leaves (stored pieces of the index) and pending messages.
 */
export interface ApiMailboxes {
  account: string
  /**
   * Number of the last commit to an account's message index, which is part of event ids. The first
   * number is the time of creation in milliseconds.
   */
  epoch: string
  /** Number of messages in the account's message index. */
  messages: Generated<number>
  /**
   * Time from which new messages are announced while the message index of the account is being
   * filled. Null if `notifyFrom` of the account applies.
   */
  announceFrom: Date | null
  /**
   * Time at which the account's message index was completely filled. Null while the index is being
   * filled.
   */
  filledAt: Date | null
  /**
   * Time at which all change lists (feeds) of the account were last read, with an accuracy of about
   * half an hour. Null if the time was not stored yet.
   */
  syncedAt: Date | null
  /**
   * State of the monthly comparison of the message index with a listing of the whole mailbox. Null
   * before the first comparison.
   */
  repair: JsonOrNull<IndexRepair>
  /**
   * Folders and labels that the mail provider lists, and former folders and labels that messages
   * may still contain.
   */
  folders: ColumnType<NamedFolder[], string | undefined, string>
}

/** Position up to which an account's change list (feed) of a mail API was read. */
export interface ApiFeeds {
  account: string
  feed: string
  /**
   * Folder of which this change list (feed) contains the changes. Null if the feed covers the whole
   * mailbox of the account.
   */
  folder: string | null
  /**
   * Stage of a change list (feed). A full round lists all messages. `follow`: reads changes.
   * `collect`: collects the messages of a full round. `recent`: marks the recent messages of the
   * round. `apply`: applies the round to the message index.
   */
  stage: 'follow' | 'collect' | 'recent' | 'apply'
  /**
   * Cursor with which the change list (feed) continues at the provider. Null if a full round
   * (listing of all messages) is due.
   */
  cursor: string | null
  /**
   * Message id below which the collected full round (listing of all messages) was already applied
   * to the message index. Null in other stages.
   */
  applied: string | null
  /**
   * End of the feed's last full round (listing of all messages). If this is null although `cursor`
   * is set, another full round is required.
   */
  completedAt: Date | null
  /**
   * True if the initial sync of the account ended before the first full round (listing of all
   * messages) of this feed.
   */
  isInitial: Generated<boolean>
  /**
   * Time of the first change notification that arrived after the change list (feed) was last read.
   */
  dirtySince: Date | null
}

/**
 * Leaves of the stored message index. A leaf contains up to 256 messages with sorted ids, packed.
 */
export interface ApiLeaves {
  account: string
  /**
   * Part of the stored data to which a leaf (group of up to 256 messages) belongs: empty for the
   * message index, or the name of a change list (feed) whose full round is being collected.
   */
  part: string
  /** Lowest message id that this leaf (group of up to 256 messages) of the index may contain. */
  low: string
  messages: number
  content: Buffer
}

/** Messages that a change list (feed) named, but that the provider did not return. */
export interface ApiPending {
  account: string
  message: string
  /** Folder for which the provider's change list (feed) named a message. */
  folder: string | null
  tries: Generated<number>
  nextAt: Date
}

/** Watches: registrations at a mail API for change notifications about an account. */
export interface ApiWatches {
  account: string
  remoteId: string
  /**
   * SHA-256 hash of the secret that each notification contains. Null if the mail provider sends no
   * secret.
   */
  clientStateHash: Buffer | null
  expiresAt: Date
  renewAt: Date
  state: 'active' | 'failed'
  lastNotifiedAt: Date | null
  /**
   * Time of the last stored attempt to create or renew the watch of a mailbox. Null in rows that
   * were written by older releases.
   */
  attemptedAt: Date | null
  /**
   * Number of failed attempts to create the watch of a mailbox, and to renew it, since the last
   * success.
   */
  createFailures: Generated<number>
  renewFailures: Generated<number>
  lastError: JsonOrNull<LastError>
}

/** State of the setup of Pub/Sub notifications for each OAuth2 application. */
export interface PubsubStates {
  app: string
  state: string
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}
