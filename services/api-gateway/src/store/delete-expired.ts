import type { Db } from '@posthorn/db'
import { deleteExpiredFormLinks } from './form-links.ts'
import { deleteExpiredKeys } from './idempotency-keys.ts'
import { deleteExpiredLogins } from './oauth2-logins.ts'

/** Deletes expired rows, to save space and remove personal data. Their readers already ignore them. */
export async function deleteExpired(db: Db): Promise<void> {
  await deleteExpiredKeys(db)
  await deleteExpiredFormLinks(db)
  await deleteExpiredLogins(db)
}
