import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** The folders of an account as last listed. Written by sync-worker. bigint columns are read as text. */
export interface Mailboxes {
  id: Generated<string>
  account: string
  path: string
  /** Part of every message id: handed out anew for each (path, uidvalidity), never reused within an account. */
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
  /** The bitmaps were filled. */
  flagsComplete: Generated<boolean>
  /** Raised by every commit of changes: tells one change of a message's flags from the next like it. */
  syncEpoch: Generated<string>
  syncedAt: Date | null
  /** `full`: all UIDs and flags are remembered; `fast`: only the next UID. */
  indexer: Generated<'full' | 'fast'>
  /** MAILBOXID (RFC 8474), where the server tells it. */
  mailboxId: string | null
  /** Nobody looks after it, and no event told of it: its UIDVALIDITY is known for the sake of message ids. */
  idsOnly: Generated<boolean>
  /** Since when listings leave it out. */
  missingSince: Date | null
  createdAt: Generated<Date>
}

/** Which UIDs of a mailbox exist and which flags they have, 8,192 UIDs a row. Written by sync-worker. */
export interface MailboxChunks {
  mailbox: string
  chunk: number
  /** The epoch of the shard's lease when this was written. */
  epoch: string
  uids: Buffer
  flags: string[]
  flagBits: Buffer[]
}

/** Message-IDs an account has had announced: tells a new message from a moved one. Written by sync-worker, kept for 90 days. */
export interface AnnouncedMessages {
  account: string
  hash: string
  announcedAt: Generated<Date>
}
