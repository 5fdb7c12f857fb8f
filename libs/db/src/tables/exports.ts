import type { ExportPhase, ExportStatus, ExportTextType } from '@posthorn/contracts/schemas/export'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/**
 * Exports of messages. Inserted by api-gateway, which also cancels exports and sets the account of
 * deleted exports to null; all other changes by sync-worker.
 */
export interface Exports {
  exportId: string
  /** Account of the export. Null once the export or the account was deleted. */
  account: string | null
  shard: number
  /** Day (UTC) on which the export was created, which selects the table partition of the chunks. */
  day: Date
  status: Generated<ExportStatus>
  phase: Generated<'pending' | ExportPhase>
  /** Mailboxes to export, as requested: paths and special uses. */
  folders: string[]
  startDate: Date
  endDate: Date
  textType: ExportTextType
  /** Maximum bytes of each text of an exported message; 0 for no limit. */
  maxBytes: string
  includeAttachments: boolean
  /**
   * Sealed (encrypted) key of the export's chunks. Only auth-bridge can read and unseal the key.
   */
  sealed: string
  createdAt: Generated<Date>
  startedAt: Date | null
  finishedAt: Date | null
  /** Time at which the export is removed. Each stored chunk moves the time forward. */
  expiresAt: Date
  foldersScanned: Generated<number>
  foldersTotal: Generated<number>
  messagesQueued: Generated<number>
  messagesExported: Generated<number>
  messagesSkipped: Generated<number>
  /** Size in bytes of the compressed file that the export has produced so far. */
  bytesWritten: Generated<string>
  /** Size of the export's encrypted chunks in Postgres, in bytes. 0 after their removal. */
  storedBytes: Generated<string>
  /** Number of chunks that the file of the export has so far. */
  chunks: Generated<number>
  /** Position at which a sync-worker continues the export after a crash. */
  position: JsonOrNull<unknown>
  truncated: Generated<boolean>
  error: string | null
  errorCode: string | null
  /** Estimated time at which the export ends. Null while unknown. */
  estimatedEnd: Date | null
  /** Time since which the mail server of the account cannot be used. Null if it can be used. */
  unavailableSince: Date | null
}

/** Encrypted chunks of the files of exports. Written by sync-worker, read by api-gateway. */
export interface ExportChunks {
  day: Date
  exportId: string
  number: number
  /** Offset of the chunk's first byte in the compressed file of the export. */
  start: string
  /** Size of the export's chunk before its encryption, in bytes. */
  size: number
  /** Encrypted bytes of the export's chunk (`encryptChunk` of libs/secrets). */
  content: Buffer
}

/** Messages of unfinished exports, in runs (lists sorted by date). Written by sync-worker. */
export interface ExportIndex {
  exportId: string
  /** Number of the run (date-sorted list of an export's messages), starting at 0. */
  run: number
  /**
   * Number of the part within the run (date-sorted list of an export's messages), starting at 0.
   */
  part: number
  /**
   * Entries of an export's messages in this part of a run (date-sorted list), in a binary format of
   * sync-worker.
   */
  entries: Buffer
}
