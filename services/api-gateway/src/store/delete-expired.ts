import type { Db } from '@posthorn/db'
import { deleteExpiredFormLinks } from './form-links.ts'
import { deleteExpiredKeys } from './idempotency.ts'
import { deleteExpiredLogins } from './oauth2-logins.ts'

/** Removes rows that have had their day. Nothing goes by them any more: this is for room, and for what they tell of people. */
export async function deleteExpired(db: Db): Promise<void> {
  await deleteExpiredKeys(db)
  await deleteExpiredFormLinks(db)
  await deleteExpiredLogins(db)
}
