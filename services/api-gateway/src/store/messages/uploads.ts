import type { Db, Uploads } from '@posthorn/db'
import type { Insertable } from 'kysely'
import { orAccountNotFound } from '../accounts/accounts.ts'

/**
 * Stores the bytes of an uploaded message for the worker, which deletes them. The client has no
 * confirmation until the worker has processed the bytes.
 */
export async function insertUpload(db: Db, upload: Insertable<Uploads>): Promise<void> {
  await orAccountNotFound(db.insertInto('uploads').values(upload).execute())
}

/** Deletes the bytes of an uploaded message that the worker did not process. */
export async function deleteUpload(db: Db, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).execute()
}
