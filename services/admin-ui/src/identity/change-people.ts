import type { InvitationRequest, PersonUpdate } from '@posthorn/contracts/admin/people'
import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { deleteChallengesOf } from '../store/challenges.ts'
import { deleteFactors, resetPassword } from '../store/factors.ts'
import { insertLink, revokeLinks, revokeLinksOf } from '../store/links.ts'
import { endMailReading } from '../store/mail-reading.ts'
import {
  deletePerson,
  emailTaken,
  findPerson,
  findPersonByEmail,
  hasOwner,
  isOwner,
  lockPeople,
  type StoredPerson,
  updatePerson,
} from '../store/people.ts'
import { deleteSessions } from '../store/sessions.ts'
import { hashSecret, newId, newSecret } from './secrets.ts'

/** Hours in which a recovery link or invitation must be used. */
const linkHours = 24

export interface PersonChange {
  id: string
  /** Session that a change of the person does not end. */
  ownSession?: string
}

/**
 * Changes a person. Another role and disabling end the sessions of the person. Returns the ids of
 * ended and changed sessions.
 *
 * @throws AppError `not-found`; `invalid` if no enabled owner would stay
 */
export function changePerson(
  db: Db,
  { id, ownSession }: PersonChange,
  changes: PersonUpdate,
): Promise<string[]> {
  return inLock(db, id, async (tx, before) => {
    const { role = before.role, disabled = before.disabled } = changes
    const staysOwner = role === 'owner' && !disabled
    if (!staysOwner) await loseOwner(tx, before)
    await updatePerson(tx, id, changes)
    const changed = changes.mayReadMail === false ? await endMailReading(tx, { person: id }) : []
    if (role === before.role && disabled === before.disabled) return changed
    await deleteChallengesOf(tx, id)
    const ended = await deleteSessions(tx, { person: id, except: ownSession })
    return [...new Set([...changed, ...ended, ...(ownSession === undefined ? [] : [ownSession])])]
  })
}

/**
 * Deletes a person. Returns the ids of the sessions that ended.
 *
 * @throws AppError `not-found`; `invalid` if no enabled owner would stay
 */
export function removePerson(db: Db, id: string): Promise<string[]> {
  return inLock(db, id, async (tx, before) => {
    await loseOwner(tx, before)
    await revokeLinks(tx, { kind: 'recovery', email: before.email })
    const ended = await deleteSessions(tx, { person: id })
    await deletePerson(tx, id)
    return ended
  })
}

/** New link for a person, with its token, of which only a hash is stored. */
export interface PersonLink {
  id: string
  token: string
  expiresAt: Date
}

/**
 * Deletes password, one-time codes, recovery codes and passkeys of a person and ends the sessions.
 * Owners who reset their own factors keep their password and the session of the request. Returns
 * the token of a link with which the person chooses another password.
 */
export function resetFactors(
  db: Db,
  { id, ownSession }: PersonChange,
  createdBy: string,
): Promise<PersonLink & { ended: string[] }> {
  return inLock(db, id, async (tx, { email, role, mayReadMail }) => {
    await deleteFactors(tx, id)
    // The password alone must not suffice for a sign-in that needed a second factor before.
    if (ownSession === undefined) await resetPassword(tx, id, null)
    await deleteChallengesOf(tx, id)
    const ended = await deleteSessions(tx, { person: id, except: ownSession })
    await revokeLinks(tx, { kind: 'recovery', email })
    const link = { kind: 'recovery', email, role, mayReadMail, createdBy } as const
    return { ended, ...(await createLink(tx, link)) }
  })
}

/**
 * Creates an invitation by an owner, which replaces earlier invitations for the email address.
 *
 * @throws AppError `invalid` if the person exists; `forbidden` if `createdBy` is no owner any more
 */
export function createInvitation(
  db: Db,
  { email: entered, role, mayReadMail = false }: InvitationRequest,
  createdBy: string,
): Promise<PersonLink> {
  const email = entered.toLowerCase()
  return db.transaction().execute(async (tx) => {
    await lockPeople(tx)
    // When an owner loses the role, all their invitations are revoked. Someone who has lost the
    // role therefore must not create another invitation.
    if (!(await isOwner(tx, createdBy))) throw new AppError('forbidden', 'Only owners may do this')
    if (await findPersonByEmail(tx, email)) throw emailTaken()
    await revokeLinks(tx, { kind: 'invitation', email })
    return await createLink(tx, { kind: 'invitation', email, role, mayReadMail, createdBy })
  })
}

/** Inserts a set-up link, recovery link or invitation for a person. */
async function createLink(
  db: Db,
  link: Omit<Parameters<typeof insertLink>[1], 'hash' | 'id' | 'hours'>,
): Promise<PersonLink> {
  const [id, token] = [newId(), newSecret()]
  const expiresAt = await insertLink(db, { ...link, id, hash: hashSecret(token), hours: linkHours })
  if (!expiresAt) throw new Error('a random token exists')
  return { id, token, expiresAt }
}

function inLock<T>(
  db: Db,
  id: string,
  change: (tx: Tx, before: StoredPerson) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await lockPeople(tx)
    const before = await findPerson(tx, id)
    if (!before) throw new AppError('not-found', 'The person does not exist')
    return await change(tx, before)
  })
}

/**
 * Revokes the links that a person has created as owner, because a link could restore the access.
 *
 * @throws AppError `invalid` if the person is the last enabled owner
 */
async function loseOwner(tx: Tx, { id, role, disabled }: StoredPerson): Promise<void> {
  const wasOwner = role === 'owner' && !disabled
  if (wasOwner && !(await hasOwner(tx, id)))
    throw new AppError('invalid', 'The last owner must stay. Make another person an owner first')
  await revokeLinksOf(tx, id)
}
