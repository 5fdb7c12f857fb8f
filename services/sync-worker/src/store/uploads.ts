import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import { findMimeSize, readMime } from './stored-mime.ts'

interface UploadKey {
  id: string
  account: string
}

/** Reads an uploaded message and deletes its row. Undefined if another request deleted the row. */
export async function takeUpload(db: Db, upload: UploadKey): Promise<Buffer | undefined> {
  const source = sql`uploads where id = ${upload.id} and account = ${upload.account}`
  const size = await findMimeSize(db, source)
  const bytes = size === undefined ? undefined : await readMime(db, source, size)
  if (!bytes) return undefined
  // Two requests may read the same uploaded message. Only the request that deletes the row of the
  // message stores the message.
  const { numDeletedRows } = await db
    .deleteFrom('uploads')
    .where('id', '=', upload.id)
    .where('account', '=', upload.account)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n ? bytes : undefined
}

/** Deletes an uploaded message that no command needs any more. */
export async function deleteUpload(db: Db, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).execute()
}

/** Deletes uploaded messages of crashed processes, older than 1 h. */
export async function deleteOldUploads(db: Db): Promise<void> {
  await db
    .deleteFrom('uploads')
    .where('createdAt', '<', sql<Date>`now() - interval '1 hour'`)
    .execute()
}
