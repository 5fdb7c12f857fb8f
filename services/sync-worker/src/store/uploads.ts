import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Bytes read in one go: they come as text, twice as long, which is to be in memory only in parts. */
const pieceBytes = 2 * 1024 * 1024

interface UploadKey {
  id: string
  account: string
}

/** Takes the bytes of an upload out of the table; undefined where somebody did already. */
export async function takeUpload(db: Db, upload: UploadKey): Promise<Buffer | undefined> {
  const size = await findSize(db, upload)
  if (size === undefined) return undefined
  const bytes = Buffer.allocUnsafe(size)
  for (let from = 0; from < size; from += pieceBytes) {
    const piece = await readPiece(db, upload, from)
    if (piece === undefined) return undefined
    piece.copy(bytes, from)
  }
  // Whoever deletes the row has it, and nobody else.
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

async function readPiece(db: Db, { id }: UploadKey, from: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('uploads')
    .select(sql<Buffer>`substring(mime from ${from + 1}::int for ${pieceBytes}::int)`.as('piece'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.piece
}

/** Removes an upload that nothing is to be made of. */
export async function deleteUpload(db: Db, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).execute()
}

/** Removes what was left by processes that died: nobody waits for it any more. */
export async function deleteOldUploads(db: Db): Promise<void> {
  await db
    .deleteFrom('uploads')
    .where('createdAt', '<', sql<Date>`now() - interval '1 hour'`)
    .execute()
}
