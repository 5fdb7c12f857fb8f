import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Mailboxes of an account. Written by sync-worker. bigint columns are read as text. */
export interface Mailboxes {
  id: Generated<string>
  account: string
  path: string
  /**
   * Number of the mailbox, part of message ids. Unique per (path, uidvalidity), never reused within
   * an account.
   */
  number: number
  name: string
  delimiter: string | null
  parentPath: string | null
  specialUse: string | null
  specialUseSource: 'user' | 'extension' | 'name' | null
  attributes: Json<string[]>
  subscribed: Generated<boolean>
  listed: Generated<boolean>
  uidValidity: string | null
  uidNext: string | null
  highestModseq: string | null
  messages: number | null
  /** True after the initial sync of the mailbox. */
  flagsComplete: Generated<boolean>
  /**
   * Number of the last commit of changes to the mailbox. Distinguishes repeated flag changes in
   * event ids.
   */
  syncEpoch: Generated<string>
  syncedAt: Date | null
  /** Kind of the mailbox index. `full`: UIDs and flags are stored; `fast`: only the next UID. */
  indexer: Generated<'full' | 'fast'>
  /** MAILBOXID of the mailbox (RFC 8474), if the mail server supports it. */
  mailboxId: string | null
  /** True if the mailbox is not synced and has no events; the row exists for message ids only. */
  idsOnly: Generated<boolean>
  /** Time since which the server's listings do not contain the mailbox. */
  missingSince: Date | null
  createdAt: Generated<Date>
}

/** Mailbox index: UIDs and flags in chunks of 8,192 UIDs. Written by sync-worker. */
export interface MailboxChunks {
  mailbox: string
  chunk: number
  /** Epoch of the shard lease at the time of writing the index chunk. */
  epoch: string
  uids: Buffer
  flags: string[]
  flagBits: Buffer[]
}

/**
 * Announced messages: distinguishes new messages from moved messages. Written by sync-worker, kept
 * for 90 days.
 */
export interface AnnouncedMessages {
  account: string
  hash: string
  announcedAt: Generated<Date>
}
