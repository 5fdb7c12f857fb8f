import type { Db } from '@posthorn/db'
import { insertLink, revokeLinks } from '../store/links.ts'
import { lockPeople } from '../store/people.ts'
import { hashSecret, newId, newSecret } from './secrets.ts'
import { setUpUrl } from './set-up-link.ts'

/** Time in which a link of the job admin-owner must be used. */
const linkHours = 1

export interface OwnerLinkOptions {
  email: string
  /** Origin of the pages. */
  origin: string
}

/**
 * Creates a link with which a person becomes owner with a new password. Nothing changes until the
 * link is used. Earlier links for the email address are revoked.
 */
export async function createOwnerLink(
  db: Db,
  { email: entered, origin }: OwnerLinkOptions,
): Promise<{ link: string; expiresAt: Date }> {
  const email = entered.toLowerCase()
  const token = newSecret()
  const expiresAt = await db.transaction().execute(async (tx) => {
    await lockPeople(tx)
    await revokeLinks(tx, { kind: 'recovery', email })
    return await insertLink(tx, {
      hash: hashSecret(token),
      id: newId(),
      kind: 'recovery',
      email,
      role: 'owner',
      mayReadMail: false,
      createdBy: null,
      hours: linkHours,
    })
  })
  if (!expiresAt) throw new Error('a random token exists')
  return { link: setUpUrl(origin, token), expiresAt }
}
