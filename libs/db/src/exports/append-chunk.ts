import { sql } from 'kysely'
import type { Tx } from '../connect.ts'

/** Chunk that is appended to the file of an export. */
export interface NewExportChunk {
  exportId: string
  /** Number of the chunk in the file of the export, starting at 0. */
  number: number
  /** Offset of the chunk's first byte in the file of the export. */
  start: number
  /** Size of the export's chunk before its encryption, in bytes. */
  size: number
  /** Encrypted bytes of the export's chunk. */
  content: Buffer
  /** Time after which an export without further progress expires. */
  maxAgeMs: number
}

/**
 * Appends a chunk to the file of an export that is being processed, in the transaction that stores
 * the worker's position in the export. Each chunk number is stored once, and without gaps. Returns
 * false, and stores nothing, if the export has ended or was cancelled or deleted, or if another
 * process has stored a chunk of this number: then the caller must stop.
 */
export async function appendExportChunk(tx: Tx, chunk: NewExportChunk): Promise<boolean> {
  const { exportId, number, start, size, content, maxAgeMs } = chunk
  const { numAffectedRows } = await sql`
    with export as (
      update exports set chunks = chunks + 1, bytes_written = bytes_written + ${size}::integer,
        stored_bytes = stored_bytes + ${content.length}::integer,
        expires_at = now() + make_interval(secs => ${maxAgeMs / 1000})
      where export_id = ${exportId} and status = 'processing' and account is not null
        and chunks = ${number}::integer and bytes_written = ${start}::bigint
      returning day
    )
    insert into export_chunks (day, export_id, number, start, size, content)
    select day, ${exportId}, ${number}::integer, ${start}::bigint, ${size}::integer, ${content}::bytea
    from export
  `.execute(tx)
  return numAffectedRows === 1n
}
