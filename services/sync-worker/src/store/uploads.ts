import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Takes the bytes of an upload out of the table; undefined where somebody did already. */
export async function takeUpload(
  db: Db,
  { id, account }: { id: string; account: string },
): Promise<Buffer | undefined> {
  const row = await db
    .deleteFrom('uploads')
    .where('id', '=', id)
    .where('account', '=', account)
    .returning('mime')
    .executeTakeFirst()
  return row?.mime
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
