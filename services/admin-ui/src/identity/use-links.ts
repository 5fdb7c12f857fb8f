import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { deleteChallengesOf } from '../store/challenges.ts'
import { deleteFactors, resetPassword } from '../store/factors.ts'
import { consumeLink, findLink, revokeLinks, type StoredLink } from '../store/links.ts'
import {
  findPersonByEmail,
  hasOwner,
  insertPerson,
  lockPeople,
  updatePerson,
} from '../store/people.ts'
import { deleteSessions } from '../store/sessions.ts'
import { hashSecret, newId } from './secrets.ts'

/** Person whom a link has created or changed, with the sessions that ended. */
export interface LinkResult {
  person: string
  ended: string[]
}

export interface LinkUse {
  token: string
  email: string
  name: string
  /** Hash of the new password that the person of the link has chosen. */
  password: string
}

/**
 * Finds a usable set-up link, or a recovery link of the job admin-owner.
 *
 * @throws AppError `gone` for a used, expired or unknown link; `invalid` for another email address
 */
export async function findOwnerLink(db: Db, token: string, email: string): Promise<StoredLink> {
  const link = await findLink(db, hashSecret(token))
  if (!link || !isOwnerLink(link)) throw linkGone()
  if (link.kind === 'setUp' && (await hasOwner(db))) throw linkGone()
  if (link.email !== null && link.email !== email.toLowerCase())
    throw new AppError('invalid', 'The link is for another email address')
  return link
}

/**
 * Finds a usable invitation, or a recovery link that an owner created for a person.
 *
 * @throws AppError `gone` for a used, expired, revoked or unknown link
 */
export async function findInvitation(
  db: Db,
  token: string,
): Promise<StoredLink & { email: string }> {
  const link = await findLink(db, hashSecret(token))
  if (!link || isOwnerLink(link) || link.email === null) throw linkGone()
  return { ...link, email: link.email }
}

/**
 * Uses a set-up or recovery link: creates the owner, or restores the access of a person as owner
 * with the new password as only factor. The link succeeds once.
 */
export function useOwnerLink(db: Db, use: LinkUse): Promise<LinkResult> {
  const { email, name, password } = use
  return db.transaction().execute(async (tx) => {
    const link = await consume(tx, use.token)
    if (!isOwnerLink(link)) throw linkGone()
    if (link.kind === 'setUp' && (await hasOwner(tx))) throw linkGone()
    await revokeLinks(tx, { kind: 'setUp' })
    const existing = await findPersonByEmail(tx, email)
    if (!existing) return await insert(tx, link, use)
    const { id } = existing
    await updatePerson(tx, id, { name, role: 'owner', disabled: false })
    await deleteFactors(tx, id)
    return { person: id, ended: await replaceAccess(tx, id, password) }
  })
}

/** Uses an invitation: creates the person, or sets a new password of an existing person. */
export function useInvitation(db: Db, use: LinkUse): Promise<LinkResult> {
  const { name, password } = use
  return db.transaction().execute(async (tx) => {
    const link = await consume(tx, use.token)
    if (isOwnerLink(link) || link.email !== use.email) throw linkGone()
    if (link.kind === 'invitation') return await insert(tx, link, use)
    const existing = await findPersonByEmail(tx, link.email)
    if (!existing || existing.disabled) throw linkGone()
    await updatePerson(tx, existing.id, { name })
    return { person: existing.id, ended: await replaceAccess(tx, existing.id, password) }
  })
}

async function consume(tx: Tx, token: string): Promise<StoredLink> {
  await lockPeople(tx)
  const link = await consumeLink(tx, hashSecret(token))
  if (!link) throw linkGone()
  return link
}

async function insert(tx: Tx, link: StoredLink, use: LinkUse): Promise<LinkResult> {
  const { role, mayReadMail, createdBy } = link
  const { email, name, password } = use
  const id = newId()
  await insertPerson(tx, { id, email, name, role, mayReadMail, password, createdBy })
  return { person: id, ended: [] }
}

/**
 * Sets a new password for the person of a link. Ends all sessions and unfinished sign-ins, which
 * had the old factors.
 */
async function replaceAccess(tx: Tx, person: string, password: string): Promise<string[]> {
  await resetPassword(tx, person, password)
  await deleteChallengesOf(tx, person)
  return await deleteSessions(tx, { person })
}

/** True for a set-up link and for a recovery link of the job admin-owner. */
function isOwnerLink({ kind, createdBy }: StoredLink): boolean {
  return kind === 'setUp' || (kind === 'recovery' && createdBy === null)
}

function linkGone(): AppError {
  return new AppError('gone', 'The link was used, was revoked or has expired. Ask for a new link')
}
