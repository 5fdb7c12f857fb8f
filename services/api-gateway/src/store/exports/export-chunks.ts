import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import { exportNotFound } from './export-records.ts'

/** SQL condition: true for an export whose file can be downloaded. */
const isAvailable = sql<boolean>`exports.status = 'completed' and exports.account is not null
  and exports.expires_at > now()`

/** Size and number of chunks of a completed export of an account. @throws AppError `not-found` */
export async function getExportFile(db: Db, account: string, exportId: string) {
  const { bytesWritten, chunks } = await db
    .selectFrom('exports')
    .select(['bytesWritten', 'chunks'])
    .where('exportId', '=', exportId)
    .where('account', '=', account)
    .where(isAvailable)
    .executeTakeFirstOrThrow(exportNotFound)
  return { exportId, size: Number(bytesWritten), chunks }
}

/**
 * Finds the number of the chunk that contains a byte of an export's file. Undefined without such a
 * chunk, and once the export was deleted or has expired. Decryption checks the position of the
 * chunk, so a wrong number serves no wrong bytes.
 */
export async function findChunkAt(
  db: Db,
  exportId: string,
  offset: number,
): Promise<number | undefined> {
  const row = await chunksOf(db, exportId)
    .select('exportChunks.number')
    .where('exportChunks.start', '<=', String(offset))
    .orderBy('exportChunks.number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.number
}

/**
 * Bytes of an export's chunk per row of a query. node-postgres reads each value as a text, and long
 * texts keep the garbage collector busy. A multiple of three, the bytes of a base64 group.
 */
const pieceBytes = 48 * 1024

/**
 * Finds a chunk of a completed export. Undefined if the chunk is missing, and once the export was
 * deleted or has expired. Postgres sends the bytes as base64, which is shorter than hexadecimal
 * text.
 */
export async function findChunk(db: Db, exportId: string, number: number) {
  const rows = await chunksOf(db, exportId)
    .innerJoinLateral(
      sql<{
        n: number
      }>`generate_series(0, (length(export_chunks.content) - 1) / ${pieceBytes}::integer)`.as<'pieces'>(
        sql`pieces(n)`,
      ),
      (join) => join.onTrue(),
    )
    .select(['exportChunks.start', 'exportChunks.size'])
    .select(sql<number>`length(export_chunks.content)`.as('length'))
    .select(
      sql<string>`encode(
      substring(export_chunks.content from n * ${pieceBytes}::integer + 1 for ${pieceBytes}::integer), 'base64')`.as(
        'piece',
      ),
    )
    .where('exportChunks.number', '=', number)
    .orderBy(sql`n`)
    .execute()
  const [first] = rows
  if (!first) return undefined
  const content = Buffer.allocUnsafe(first.length)
  let length = 0
  for (const { piece } of rows) length += content.write(piece, length, 'base64')
  return { start: Number(first.start), size: first.size, content: content.subarray(0, length) }
}

function chunksOf(db: Db, exportId: string) {
  return db
    .selectFrom('exports')
    .innerJoin('exportChunks', (join) =>
      // The day of the export selects the table partition of its chunks.
      join
        .onRef('exportChunks.day', '=', 'exports.day')
        .onRef('exportChunks.exportId', '=', 'exports.exportId'),
    )
    .where('exports.exportId', '=', exportId)
    .where(isAvailable)
}

/** True while the file of an export can be downloaded: not after its deletion or expiry. */
export async function isExportAvailable(db: Db, exportId: string): Promise<boolean> {
  const row = await db
    .selectFrom('exports')
    .select('exportId')
    .where('exportId', '=', exportId)
    .where(isAvailable)
    .executeTakeFirst()
  return row !== undefined
}
