import { PasswordRequest } from '@posthorn/contracts/admin/session'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import { readJsonBody } from '../http/read-body.ts'
import type { Identity } from '../identity/create-identity.ts'
import { requireRecentFactor } from '../identity/rights.ts'
import { newSessionSecrets } from '../identity/secrets.ts'
import { setSessionCookie } from '../identity/session-cookie.ts'
import type { SignedIn } from '../identity/signed-in.ts'
import { deleteChallengesOf } from '../store/challenges.ts'
import { replacePassword } from '../store/factors.ts'
import { findPerson } from '../store/people.ts'
import { deleteSessions, replaceSecrets } from '../store/sessions.ts'
import { admitAttempt, checkPassword, requirePasswords } from './check-password.ts'
import { entryOf, type PageExchange, signedInEndpoint } from './endpoint.ts'

/** Mounts the endpoint with which a signed-in person changes the own password. */
export function mountOwnPassword(router: Router, identity: Identity): void {
  router.post(
    '/admin/session/password',
    signedInEndpoint(identity, (exchange, signedIn) => setPassword(identity, exchange, signedIn)),
  )
}

/**
 * Sets the password of the signed-in person and ends the other sessions of the person. The session
 * gets another cookie, because the earlier cookie may have been stolen.
 */
async function setPassword(
  identity: Identity,
  exchange: PageExchange,
  signedIn: SignedIn,
): Promise<void> {
  requirePasswords(identity)
  const { db, audit, passwords, sessions } = identity
  const { id } = signedIn.person
  const { current, new: chosen } = await readJsonBody(exchange.request, PasswordRequest)
  const expected = await confirmCurrent(identity, exchange, { signedIn, current })
  const password = await passwords.hash(chosen)
  const entry = entryOf(exchange, signedIn, { operation: 'changePassword', keys: ['password'] })
  const { cookie, stored } = newSessionSecrets()
  const change = () =>
    db.transaction().execute(async (tx) => {
      if (!(await replacePassword(tx, id, { expected, password, isRenewal: false })))
        throw new AppError('invalid', 'Another request has changed the password. Reload the page')
      await deleteChallengesOf(tx, id)
      await replaceSecrets(tx, signedIn.session.id, stored)
      const ended = await deleteSessions(tx, { person: id, except: signedIn.session.id })
      return [...ended, signedIn.session.id]
    })
  sessions.broadcastEnd(await audit.change(entry, change))
  setSessionCookie(exchange, cookie)
}

interface Confirmation {
  signedIn: SignedIn
  current: string | undefined
}

/**
 * Checks the current password of a signed-in person. Without a password, the last factor must be
 * recent enough. Returns the stored hash.
 */
async function confirmCurrent(
  identity: Identity,
  exchange: PageExchange,
  { signedIn, current }: Confirmation,
): Promise<string | null> {
  const { id, email } = signedIn.person
  const person = await findPerson(identity.db, id)
  if (!person?.password) {
    requireRecentFactor(signedIn)
    return null
  }
  const attempt = await admitAttempt(identity, exchange, { kind: 'confirmation', person: email })
  const checked = await checkPassword(identity, { email, password: current ?? '', attempt })
  // The status for a wrong password is 400, because 401 means that the session has ended.
  if (!checked) throw wrongPassword()
  await attempt.succeed()
  return checked.password
}

function wrongPassword(): AppError {
  const message = 'The current password is wrong'
  const fields = [{ message, key: 'current', path: 'current' }]
  return new AppError('invalid', message, { extras: { fields } })
}
