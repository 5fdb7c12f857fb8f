import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { consumeChallenge, countChallengeAttempt, insertChallengeFor } from '../store/challenges.ts'
import { isRecoveryCode, useRecoveryCode } from './recovery-codes.ts'
import { hashSecret, newSecret } from './secrets.ts'

/** Checks a one-time code of a person (RFC 6238). A code counts once over all replicas. */
export type CheckOneTimeCode = (person: string, code: string) => Promise<boolean>

const kind = 'secondFactor'
/** Minutes in which a person must enter the second factor after the password. */
const ticketMinutes = 5
/**
 * Maximum number of codes that a person may try after entering the password once. Codes are also
 * limited per person.
 */
const maxAttempts = 5

/**
 * Creates the ticket with which the second factor completes a sign-in by password. `password` is
 * the hash that was checked. Undefined if the password has changed in the meantime.
 */
export async function createTicket(
  db: Db,
  { person, password }: { person: string; password: string },
): Promise<string | undefined> {
  const ticket = newSecret()
  const challenge = { hash: hashSecret(ticket), kind, person, minutes: ticketMinutes }
  const inserted = await db
    .transaction()
    .execute((tx) => insertChallengeFor(tx, challenge, password))
  return inserted ? ticket : undefined
}

/**
 * Finds the person of a sign-in ticket and counts an attempt to enter the second factor.
 *
 * @throws AppError `unauthorized` for an unknown, expired or used-up ticket
 */
export async function openTicket(db: Db, ticket: string): Promise<string> {
  const key = { hash: hashSecret(ticket), kind }
  const challenge = await countChallengeAttempt(db, key, maxAttempts)
  if (challenge?.person) return challenge.person
  throw new AppError('unauthorized', 'The sign-in has expired. Enter the password again')
}

/** Uses up the ticket of a sign-in. True for exactly one caller. */
export async function consumeTicket(db: Db, ticket: string): Promise<boolean> {
  return (await consumeChallenge(db, { hash: hashSecret(ticket), kind })) !== undefined
}

/** Checks a one-time code or recovery code of a person, and uses the code up. */
export function checkSecondFactor(
  { db, checkOneTimeCode }: { db: Db; checkOneTimeCode: CheckOneTimeCode },
  person: string,
  code: string,
): Promise<boolean> {
  return isRecoveryCode(code)
    ? useRecoveryCode(db, person, code)
    : checkOneTimeCode(person, code.replace(/\s/g, ''))
}
