import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import { deleteEndedBulkJobs } from './jobs/bulk-jobs.ts'
import { isValidKey } from './messages/idempotency-keys.ts'

const isExpired = sql<boolean>`expires_at <= now()`

/** Deletes expired rows, such as form links, to save space and to remove personal data. */
export async function deleteExpired(db: Db): Promise<void> {
  const isExpiredKey = sql<boolean>`not ${isValidKey}`
  await db.deleteFrom('idempotencyKeys').where(isExpiredKey).execute()
  await db.deleteFrom('formLinks').where(isExpired).execute()
  await db.deleteFrom('oauth2Logins').where(isExpired).execute()
  await deleteEndedBulkJobs(db)
}
