import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/**
 * Maximum bytes of a stored message that one query reads. Postgres returns bytes in hex, and the
 * hex of a whole message would take too much memory.
 */
const chunkBytes = 2 * 1024 * 1024

/**
 * SQL fragment that selects a stored message: a table with a column `mime`, and a condition for one
 * row.
 */
export type MimeSource = RawBuilder<unknown>

/** Size of a stored message; undefined if the bytes of the message were deleted. */
export async function findMimeSize(db: Db, source: MimeSource): Promise<number | undefined> {
  const { rows } = await sql<{ size: number | null }>`
    select octet_length(mime) as size from ${source}
  `.execute(db)
  return rows[0]?.size ?? undefined
}

/** Bytes of a stored message; undefined if the bytes were deleted in the meantime. */
export async function readMime(
  db: Db,
  source: MimeSource,
  size: number,
): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(size)
  for (let from = 0; from < size; from += chunkBytes) {
    const { rows } = await sql<{ chunk: Buffer | null }>`
      select substring(mime from ${from + 1}::int for ${chunkBytes}::int) as chunk from ${source}
    `.execute(db)
    const chunk = rows[0]?.chunk
    if (!chunk) return undefined
    chunk.copy(bytes, from)
  }
  return bytes
}
