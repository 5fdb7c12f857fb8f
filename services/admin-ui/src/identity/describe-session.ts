import type { Factors, Session } from '@posthorn/contracts/admin/session'
import { defined } from '@posthorn/contracts/defined'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { findPerson, type StoredPerson } from '../store/people.ts'
import type { SignedIn } from './signed-in.ts'

/** Describes the signed-in person, the session and the factors for the administration pages. */
export async function describeSession(db: Db, signedIn: SignedIn): Promise<Session> {
  const { id, createdAt, expiresAt, factorAt } = signedIn.session
  const person = await findPerson(db, signedIn.person.id)
  if (!person) throw new AppError('unauthorized', 'Sign in to continue')
  return {
    person: signedIn.person,
    session: {
      id,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      factorAt: factorAt.toISOString(),
    },
    factors: factorsOf(person),
    mailReading: mailReadingOf(signedIn),
  }
}

export function factorsOf(person: StoredPerson): Factors {
  const { password, totpConfirmed: totp, passkeys, recoveryCodes, oidc } = person
  return { password: password !== null, totp, passkeys, recoveryCodes, oidc }
}

function mailReadingOf({ person, session }: SignedIn): Session['mailReading'] {
  const { mailUntil, mailReason } = session
  if (!person.mayReadMail || mailUntil === null || mailUntil.getTime() <= Date.now()) return {}
  return defined({ until: mailUntil.toISOString(), reason: mailReason ?? undefined })
}
