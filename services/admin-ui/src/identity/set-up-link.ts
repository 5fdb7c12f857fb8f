import type { Secret } from '@posthorn/config'
import type { Db } from '@posthorn/db'
import { hasSetUpLink, insertLink, revokeLinks } from '../store/links.ts'
import { hasOwner, lockPeople } from '../store/people.ts'
import { hashSecret, newId, newSecret } from './secrets.ts'

/**
 * Hours in which a printed set-up link must be used. The next start of admin-ui prints another
 * link.
 */
const printedHours = 7 * 24
/**
 * Validity in hours of a set-up link whose token is configured. The link ends when the first owner
 * exists.
 */
const configuredHours = 100 * 365 * 24

export interface SetUpLinkOptions {
  /**
   * Token of the set-up link from the environment. If undefined, a link with a random token is
   * printed.
   */
  setupToken: Secret | undefined
  /** Origin of the administration pages for the printed set-up link. */
  origin: string
  /**
   * Writes the set-up link for the operator. The link must not be logged, because logs are stored.
   */
  print: (text: string) => void
}

/**
 * Creates the set-up link of an installation without an owner. A Postgres lock makes concurrent
 * replicas create only one link.
 */
export async function ensureSetUpLink(db: Db, options: SetUpLinkOptions): Promise<void> {
  const { setupToken, origin, print } = options
  await db.transaction().execute(async (tx) => {
    await lockPeople(tx)
    if (await hasOwner(tx)) return
    const insert = (token: string, hours: number) =>
      insertLink(tx, { ...setUp, hash: hashSecret(token), id: newId(), hours })
    if (setupToken) {
      // An earlier token may have been replaced because it has become known.
      await revokeLinks(tx, { kind: 'setUp' })
      await insert(setupToken.reveal(), configuredHours)
      return
    }
    if (await hasSetUpLink(tx)) return
    const token = newSecret()
    // The set-up link is printed before the commit. After a crash in between, the next start prints
    // another link. A link that is committed but not printed would be lost.
    print(`Set-up link of the administration pages, shown this once: ${setUpUrl(origin, token)}\n`)
    await insert(token, printedHours)
  })
}

const setUp = {
  kind: 'setUp',
  email: null,
  role: 'owner',
  mayReadMail: false,
  createdBy: null,
} as const

/** Hours in which a link of the job admin-owner must be used. */
const ownerLinkHours = 1

export interface OwnerLinkOptions {
  email: string
  /** Origin of the administration pages for the printed link. */
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
      hours: ownerLinkHours,
    })
  })
  if (!expiresAt) throw new Error('a random token exists')
  return { link: setUpUrl(origin, token), expiresAt }
}

/**
 * Address of the page that uses a set-up link. Browsers do not send the fragment to servers, so no
 * log has the token.
 */
export function setUpUrl(origin: string, token: string): string {
  return `${origin}/admin/set-up#token=${token}`
}

/** Address of the page on which a person accepts an invitation. */
export function invitationUrl(origin: string, token: string): string {
  return `${origin}/admin/invitation#token=${token}`
}
