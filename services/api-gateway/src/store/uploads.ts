import type { Db } from '@posthorn/db'
import { accountNotFound } from './accounts.ts'
import { foreignKeyViolation, sqlState } from './database-errors.ts'

/** Puts the bytes of a message where the worker finds them. Nothing is promised by that. */
export async function insertUpload(
  db: Db,
  upload: { id: string; account: string; mime: Buffer },
): Promise<void> {
  try {
    await db.insertInto('uploads').values(upload).execute()
  } catch (error) {
    // Deleted since we looked.
    throw sqlState(error) === foreignKeyViolation ? accountNotFound() : error
  }
}

/** Takes them away again, where nobody has taken them. */
export async function deleteUpload(db: Db, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).execute()
}
