import type { LastError } from '@posthorn/contracts/schemas/account'
import type { ColumnType, Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Folder or label, as events name it. */
export interface NamedFolder {
  id: string
  /** Path of the folder: names of the levels, top first. */
  path: string[]
  specialUse?: string
  /** Tab of the Gmail inbox that the label stands for. */
  category?: string
  /** True if the folder no longer exists. The name stays for changes that are reported later. */
  former?: true
}

/**
 * Index of an account at a mail API. Written by sync-worker, like its feeds, leaves and pending
 * messages.
 */
export interface ApiMailboxes {
  account: string
  /** Number of the last commit, part of event ids. Starts at the time of creation in ms. */
  epoch: string
  /** Number of messages in the index. */
  messages: Generated<number>
  /**
   * Time since which arrivals are announced while the index is filled. Null: `notifyFrom` of the
   * account.
   */
  announceFrom: Date | null
  /** Time at which the index was filled. Null while the index is being filled. */
  filledAt: Date | null
  /** Time at which all feeds were last read, to about half an hour. Null: not stored yet. */
  syncedAt: Date | null
  /** Listed folders and labels, and former folders and labels that messages may still have. */
  folders: ColumnType<NamedFolder[], string | undefined, string>
}

/** Position in a feed of changes at a mail API. */
export interface ApiFeeds {
  account: string
  feed: string
  /** Folder of the feed. Null if the feed covers the mailbox. */
  folder: string | null
  /** Reads changes, collects a full round, marks its recent messages, or applies it. */
  stage: 'follow' | 'collect' | 'recent' | 'apply'
  /** Cursor of the feed. Null: a full round is due. */
  cursor: string | null
  /** Id below which the collected round is applied. */
  applied: string | null
  /** End of the last full round. Null with a cursor: another full round is required. */
  completedAt: Date | null
  /** True if the initial sync ended without the feed. */
  isInitial: Generated<boolean>
  /** Time of the first notification since the last read of the feed. */
  dirtySince: Date | null
}

/** Up to 256 messages with sorted ids, packed. */
export interface ApiLeaves {
  account: string
  /** Empty for the index; otherwise the feed whose full round is collected. */
  part: string
  /** Lowest id that the leaf may contain. */
  low: string
  messages: number
  content: Buffer
}

/** Messages that a feed named and the provider did not return. */
export interface ApiPending {
  account: string
  message: string
  /** Folder that the feed named. */
  folder: string | null
  tries: Generated<number>
  nextAt: Date
}

/** Registrations for notifications of a mail API. */
export interface ApiWatches {
  account: string
  remoteId: string
  /** SHA-256 of the secret in each notification. Null if the provider sends none. */
  clientStateHash: Buffer | null
  expiresAt: Date
  renewAt: Date
  state: 'active' | 'failed'
  lastNotifiedAt: Date | null
  /**
   * Time of the latest stored attempt to create or renew the watch. Null in rows of older releases.
   */
  attemptedAt: Date | null
  /** Failed creations and renewals since the last success. */
  createFailures: Generated<number>
  renewFailures: Generated<number>
  lastError: JsonOrNull<LastError>
}

/** State of Pub/Sub per OAuth2 application. */
export interface PubsubStates {
  app: string
  state: string
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}
