import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Mailboxes of an account. Written by sync-worker. Columns of the type bigint are read as text. */
export interface Mailboxes {
  id: Generated<string>
  account: string
  path: string
  /**
   * Number of the mailbox, which is part of message ids. Unique for each pair of path and
   * uidvalidity, and never used again within an account.
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
  /** True after the initial sync of the mailbox is complete. */
  flagsComplete: Generated<boolean>
  /**
   * Number of the last commit of changes to the mailbox. Gives repeated flag changes different
   * event ids.
   */
  syncEpoch: Generated<string>
  syncedAt: Date | null
  /**
   * Kind of the mailbox index. `full`: UIDs and flags are stored. `fast`: only the next UID is
   * stored.
   */
  indexer: Generated<'full' | 'fast'>
  /** Permanent id of the mailbox (MAILBOXID, RFC 8474), if the mail server supports such ids. */
  mailboxId: string | null
  /**
   * True if a mailbox is not synced and causes no events. The row of such a mailbox exists only for
   * message ids.
   */
  idsOnly: Generated<boolean>
  /** Time since which the mailbox is missing in the mail server's listings. */
  missingSince: Date | null
  createdAt: Generated<Date>
}

/** Mailbox index: UIDs and flags in chunks of 8,192 UIDs. Written by sync-worker. */
export interface MailboxChunks {
  mailbox: string
  chunk: number
  /**
   * Epoch of the shard's lease at the time when the index chunk was written. The epoch is a number
   * that rises with every new holder of the shard (group of accounts).
   */
  epoch: string
  uids: Buffer
  flags: string[]
  flagBits: Buffer[]
}

/**
 * Hashes that identify messages for which the event messageNew was recorded. By the hash, a moved
 * message is distinguished from a new message. Written by sync-worker, kept for 90 days.
 */
export interface AnnouncedMessages {
  account: string
  hash: string
  announcedAt: Generated<Date>
}
