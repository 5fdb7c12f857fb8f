import type { LastError } from '@posthorn/contracts/schemas/account'
import type { ColumnType, Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Folder or label at a mail API, as events name it. */
export interface NamedFolder {
  id: string
  /** Path of the folder: names of the levels, top first. */
  path: string[]
  specialUse?: string
  /** Category (tab) of the Gmail inbox that the label stands for. */
  category?: string
  /**
   * True if the folder no longer exists at the provider. The name stays for changes that are
   * reported later.
   */
  former?: true
}

/** Position in the comparison of a message index with a list of the whole mailbox. Epoch ms. */
export interface IndexRepair {
  /** Start of the comparison in progress. Absent: none. */
  startedAt?: number
  /** `filled_at` of the index at the start: another index makes the comparison void. */
  filledAt?: number
  /** Cursor of the list. Absent: the list begins, or is complete. */
  cursor?: string
  /** Message id below which the list is compared with the index. Absent: not listed yet. */
  applied?: string
  /** Number of differences that were repaired so far. */
  repaired?: number
  /** Time of the next comparison. */
  nextAt?: number
}

/**
 * Index of the messages of an account at a mail API. Written by sync-worker, like the change lists
 * (feeds), leaves and pending messages of the account.
 */
export interface ApiMailboxes {
  account: string
  /**
   * Number of the last commit of the index, part of event ids. Starts at the time of creation in
   * ms.
   */
  epoch: string
  /** Number of messages in the account's index. */
  messages: Generated<number>
  /**
   * Time since which new messages are announced while the index is filled. Null: `notifyFrom` of
   * the account.
   */
  announceFrom: Date | null
  /** Time at which the account's message index was filled. Null while the index is being filled. */
  filledAt: Date | null
  /**
   * Time at which all change lists (feeds) of the account were last read, to about half an hour.
   * Null: not stored yet.
   */
  syncedAt: Date | null
  /** Monthly comparison of the index with a list of the whole mailbox. Null: none yet. */
  repair: JsonOrNull<IndexRepair>
  /**
   * Folders and labels that the provider lists, and former folders and labels that messages may
   * still have.
   */
  folders: ColumnType<NamedFolder[], string | undefined, string>
}

/** Position of an account in a change list (feed) of a mail API. */
export interface ApiFeeds {
  account: string
  feed: string
  /** Folder of the feed. Null if the feed covers the whole mailbox of the account. */
  folder: string | null
  /**
   * Stage of the feed: reads changes, collects a full round (listing of all messages), marks the
   * recent messages of the round, or applies the round.
   */
  stage: 'follow' | 'collect' | 'recent' | 'apply'
  /** Cursor of the feed at the provider. Null: a full round (listing of all messages) is due. */
  cursor: string | null
  /** Message id below which the collected full round is applied to the index. */
  applied: string | null
  /** End of the last full round of the feed. Null with a cursor: another full round is required. */
  completedAt: Date | null
  /** True if the initial sync of the account ended before the full round of the feed. */
  isInitial: Generated<boolean>
  /** Time of the first change notification since the feed was last read. */
  dirtySince: Date | null
}

/** Leaves of the stored message index: up to 256 messages with sorted ids, packed. */
export interface ApiLeaves {
  account: string
  /** Owner of the leaf. Empty for the index; otherwise the feed whose full round is collected. */
  part: string
  /** Lowest message id that the leaf may contain. */
  low: string
  messages: number
  content: Buffer
}

/** Messages that a change list (feed) named and the provider did not return. */
export interface ApiPending {
  account: string
  message: string
  /** Folder that the feed named for the message. */
  folder: string | null
  tries: Generated<number>
  nextAt: Date
}

/** Watches: registrations of accounts for change notifications of a mail API. */
export interface ApiWatches {
  account: string
  remoteId: string
  /** SHA-256 of the secret in each notification. Null if the mail provider sends no secret. */
  clientStateHash: Buffer | null
  expiresAt: Date
  renewAt: Date
  state: 'active' | 'failed'
  lastNotifiedAt: Date | null
  /**
   * Time of the latest stored attempt to create or renew the watch. Null in rows of older releases.
   */
  attemptedAt: Date | null
  /** Failed creations and renewals of the watch since the last success. */
  createFailures: Generated<number>
  renewFailures: Generated<number>
  lastError: JsonOrNull<LastError>
}

/** State of the Pub/Sub setup per OAuth2 application. */
export interface PubsubStates {
  app: string
  state: string
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}
