import type { ExportPhase, ExportStatus, ExportTextType } from '@posthorn/contracts/schemas/export'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/**
 * Exports of messages. Inserted by api-gateway, which also cancels exports and sets the account of
 * deleted exports to null; all other changes by sync-worker.
 */
export interface Exports {
  exportId: string
  /** Null once the export or its account was deleted; the row is removed after its chunks. */
  account: string | null
  shard: number
  /** Day of the creation (UTC), which selects the table partition of the chunks. */
  day: Date
  status: Generated<ExportStatus>
  phase: Generated<'pending' | ExportPhase>
  /** Mailboxes as requested: paths and special uses. */
  folders: string[]
  startDate: Date
  endDate: Date
  textType: ExportTextType
  /** Maximum bytes of each text of a message; 0 for no limit. */
  maxBytes: string
  includeAttachments: boolean
  /** Sealed key of the chunks. Only auth-bridge can read and unseal the key. */
  sealed: string
  createdAt: Generated<Date>
  startedAt: Date | null
  finishedAt: Date | null
  /** Time at which the export is removed. Moves forward with each chunk. */
  expiresAt: Date
  foldersScanned: Generated<number>
  foldersTotal: Generated<number>
  messagesQueued: Generated<number>
  messagesExported: Generated<number>
  messagesSkipped: Generated<number>
  /** Size of the compressed file so far. */
  bytesWritten: Generated<string>
  /** Size of the stored chunks. 0 after their removal. */
  storedBytes: Generated<string>
  /** Number of the next chunk, which is the number of chunks of a completed export. */
  chunks: Generated<number>
  /** Progress within the phase, for the next holder of the shard. Format of sync-worker. */
  position: JsonOrNull<unknown>
  truncated: Generated<boolean>
  error: string | null
  errorCode: string | null
  /** Estimated time of the end. Null while unknown. */
  estimatedEnd: Date | null
  /** Time since which the mail server of the account cannot be used. Null if it can be used. */
  unavailableSince: Date | null
}

/** Encrypted chunks of the files of exports. Written by sync-worker, read by api-gateway. */
export interface ExportChunks {
  day: Date
  exportId: string
  number: number
  /** Offset of the chunk's first byte in the file. */
  start: string
  /** Bytes of the file in the chunk. */
  size: number
  /** Encrypted bytes (`encryptChunk` of libs/secrets). */
  content: Buffer
}

/** Messages of unfinished exports, in runs sorted by date. Written by sync-worker. */
export interface ExportIndex {
  exportId: string
  /** Number of the sorted run of entries, starting at 0. */
  run: number
  /** Number of the part within the run, starting at 0. */
  part: number
  /** Entries of the part. Format of sync-worker. */
  entries: Buffer
}
