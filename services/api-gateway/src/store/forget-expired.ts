import type { Db } from '@posthorn/db'
import { forgetFormLinks } from './form-links.ts'
import { forgetOldKeys } from './idempotency.ts'
import { forgetLogins } from './oauth2-logins.ts'

/** Removes rows that have had their day. Nothing goes by them any more: this is for room, and for what they tell of people. */
export async function forgetExpired(db: Db): Promise<void> {
  await forgetOldKeys(db)
  await forgetFormLinks(db)
  await forgetLogins(db)
}
