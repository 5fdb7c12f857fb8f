import { AppError } from '@posthorn/errors'
import type { Attempt, AttemptSubject } from '../identity/attempt-limits.ts'
import type { Identity } from '../identity/create-identity.ts'
import { replacePassword } from '../store/factors.ts'
import { findPersonByEmail, type StoredPerson } from '../store/people.ts'
import type { PageExchange } from './endpoint.ts'

/** Person whose password was checked, with the hash that was stored at that time. */
export type PersonWithPassword = StoredPerson & { password: string }

/** Counts an attempt to enter a password or code before its check. */
export async function admitAttempt(
  { limits, addressOf, countSignIn }: Identity,
  { request }: PageExchange,
  subject: Omit<AttemptSubject, 'address'>,
): Promise<Attempt> {
  try {
    return await limits.admit({ ...subject, address: addressOf(request) })
  } catch (error) {
    if (isRateLimited(error)) countSignIn('limited')
    throw error
  }
}

/**
 * Rejects requests that need passwords, if people sign in at the OpenID provider only.
 *
 * @throws AppError `forbidden`
 */
export function requirePasswords({ offers }: Pick<Identity, 'offers'>): void {
  if (!offers.passwords)
    throw new AppError('forbidden', 'Sign in at the OpenID provider: passwords are disabled')
}

export interface PasswordToCheck {
  email: string
  password: string
  attempt: Attempt
}

/**
 * Finds the enabled person with an email address and a password. The check takes the same time for
 * unknown people, disabled people and wrong passwords. A hash with a lower cost than new hashes is
 * renewed.
 */
export async function checkPassword(
  { db, passwords, countSignIn }: Identity,
  { email, password, attempt }: PasswordToCheck,
): Promise<PersonWithPassword | undefined> {
  const person = await findPersonByEmail(db, email)
  try {
    const { isCorrect, isOutdated } = await passwords.check(password, person?.password)
    if (!isCorrect || !person || person.disabled || person.password === null) return undefined
    const expected = person.password
    if (!isOutdated) return { ...person, password: expected }
    const renewed = await passwords.hash(password)
    const change = { expected, password: renewed, isRenewal: true }
    const isRenewed = await replacePassword(db, person.id, change)
    return { ...person, password: isRenewed ? renewed : expected }
  } catch (error) {
    if (!isRateLimited(error)) throw error
    // The password was not checked, because too many hashings wait. The attempt to sign in
    // therefore does not count.
    await attempt.takeBack()
    countSignIn('limited')
    throw error
  }
}

function isRateLimited(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'rate-limited'
}
