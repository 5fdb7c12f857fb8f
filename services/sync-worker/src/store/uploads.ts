import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Bytes per query. They are transferred as hex, which must not be in memory as a whole. */
const chunkBytes = 2 * 1024 * 1024

interface UploadKey {
  id: string
  account: string
}

/** Reads and deletes an upload; undefined if another request took it. */
export async function takeUpload(db: Db, upload: UploadKey): Promise<Buffer | undefined> {
  const size = await findSize(db, upload)
  if (size === undefined) return undefined
  const bytes = Buffer.allocUnsafe(size)
  for (let from = 0; from < size; from += chunkBytes) {
    const chunk = await readChunk(db, upload, from)
    if (chunk === undefined) return undefined
    chunk.copy(bytes, from)
  }
  // The request that deletes the row owns the upload.
  const { numDeletedRows } = await db
    .deleteFrom('uploads')
    .where('id', '=', upload.id)
    .where('account', '=', upload.account)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n ? bytes : undefined
}

async function findSize(db: Db, { id, account }: UploadKey): Promise<number | undefined> {
  const row = await db
    .selectFrom('uploads')
    .select(sql<number>`octet_length(mime)`.as('size'))
    .where('id', '=', id)
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.size
}

async function readChunk(db: Db, { id }: UploadKey, from: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('uploads')
    .select(sql<Buffer>`substring(mime from ${from + 1}::int for ${chunkBytes}::int)`.as('chunk'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.chunk
}

/** Deletes an upload that is not needed. */
export async function deleteUpload(db: Db, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).execute()
}

/** Deletes uploads of crashed processes, older than 1 h. */
export async function deleteOldUploads(db: Db): Promise<void> {
  await db
    .deleteFrom('uploads')
    .where('createdAt', '<', sql<Date>`now() - interval '1 hour'`)
    .execute()
}
