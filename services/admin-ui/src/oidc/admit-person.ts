import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { changePerson } from '../identity/change-people.ts'
import { newId } from '../identity/secrets.ts'
import { findPersonBySubject, linkSubject } from '../store/oidc-people.ts'
import { findPersonByEmail, insertPerson, lockPeople, type StoredPerson } from '../store/people.ts'
import { deleteSessions } from '../store/sessions.ts'
import { isAdmitted, type OidcPerson, roleOf } from './admission.ts'
import type { OidcConfig } from './oidc-config.ts'
import { OpenIdError } from './open-id-error.ts'

export interface Admission {
  db: Db
  config: OidcConfig
  /** Tells all replicas of admin-ui which sessions have ended. */
  broadcastEnd: (sessions: readonly string[]) => void
}

/**
 * Finds, links or creates the person of a sign-in at the OpenID provider, and updates the role.
 * Returns the id of the person.
 *
 * @throws OpenIdError `notAdmitted` for a person who is not admitted; the sessions of the person
 * then end. `notVerified`, `otherPerson`, and `lastOwner` if the last owner would lose the role
 */
export async function admitPerson(
  { db, config, broadcastEnd }: Admission,
  person: OidcPerson,
): Promise<string> {
  const linked = await findPersonBySubject(db, person.subject)
  // A person who is linked to the OpenID provider keeps the stored email address, which was
  // verified at the first sign-in.
  const email = person.email ?? linked?.email
  const existing = linked ?? (person.email && (await findPersonByEmail(db, person.email)))
  const rules = { ...person, email }
  if (!isAdmitted(rules, config, Boolean(existing))) {
    if (linked) broadcastEnd(await deleteSessions(db, { person: linked.id }))
    throw notAdmitted()
  }
  const admitted = linked ?? (await db.transaction().execute((tx) => connect(tx, person, config)))
  const role = roleOf(person.groups, config, admitted.role)
  if (role === admitted.role) return admitted.id
  try {
    broadcastEnd(await changePerson(db, { id: admitted.id }, { role }))
  } catch (error) {
    // The role of the last owner stays, but the sessions of this owner end.
    broadcastEnd(await deleteSessions(db, { person: admitted.id }))
    throw error instanceof AppError && error.kind === 'invalid' ? lastOwner(error) : error
  }
  return admitted.id
}

/**
 * Links the stored person with the verified email address to the OpenID provider, or creates the
 * person.
 */
async function connect(
  tx: Tx,
  { subject, email, name, groups }: OidcPerson,
  config: OidcConfig,
): Promise<Pick<StoredPerson, 'id' | 'role'>> {
  if (email === undefined) throw notVerified()
  await lockPeople(tx)
  const linked = (await findPersonBySubject(tx, subject)) ?? (await findPersonByEmail(tx, email))
  if (linked) {
    if (!linked.oidc && !(await linkSubject(tx, linked.id, subject))) throw linkedToOther()
    if (linked.oidc && (await findPersonBySubject(tx, subject))?.id !== linked.id)
      throw linkedToOther()
    return linked
  }
  const [id, role] = [newId(), roleOf(groups, config)]
  const created = { id, email, name: name ?? email, role, mayReadMail: false, password: null }
  await insertPerson(tx, { ...created, createdBy: null, oidcSubject: subject })
  return { id, role }
}

function notAdmitted(): OpenIdError {
  const message = 'This person has no access to the administration pages. Ask an owner for access'
  return new OpenIdError('notAdmitted', { kind: 'forbidden', message })
}

function notVerified(): OpenIdError {
  const message = 'The OpenID provider has not verified the email address'
  return new OpenIdError('notVerified', { kind: 'forbidden', message })
}

function linkedToOther(): OpenIdError {
  const message = 'The email address belongs to another person of the OpenID provider'
  return new OpenIdError('otherPerson', { kind: 'forbidden', message })
}

function lastOwner(cause: AppError): OpenIdError {
  return new OpenIdError('lastOwner', { kind: 'invalid', message: cause.message, cause })
}
