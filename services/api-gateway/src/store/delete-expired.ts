import type { Db } from '@posthorn/db'
import { deleteExpiredFormLinks } from './form-links.ts'
import { deleteExpiredKeys } from './idempotency-keys.ts'
import { deleteExpiredLogins } from './oauth2-logins.ts'

/** Deletes expired rows, which readers ignore: saves space and removes personal data. */
export async function deleteExpired(db: Db): Promise<void> {
  await deleteExpiredKeys(db)
  await deleteExpiredFormLinks(db)
  await deleteExpiredLogins(db)
}
