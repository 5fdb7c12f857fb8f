import { type Session, StepUpRequest } from '@posthorn/contracts/admin/session'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import { readJsonBody } from '../http/read-body.ts'
import type { Identity } from '../identity/create-identity.ts'
import { describeSession } from '../identity/describe-session.ts'
import { replaceRecoveryCodes } from '../identity/recovery-codes.ts'
import { requireRecentFactor } from '../identity/rights.ts'
import type { SignedIn } from '../identity/signed-in.ts'
import { findPerson, type StoredPerson } from '../store/people.ts'
import { checkCode } from './check-code.ts'
import { admitAttempt, checkPassword } from './check-password.ts'
import { entryOf, type PageExchange, signedInEndpoint } from './endpoint.ts'

/** Mounts the endpoints that repeat the factors of a signed-in person, or create recovery codes. */
export function mountStepUp(router: Router, identity: Identity): void {
  const { db, audit } = identity
  router.post(
    '/admin/session/step-up',
    signedInEndpoint(identity, (exchange, signedIn) => stepUp(identity, exchange, signedIn)),
  )
  router.post(
    '/admin/session/recovery-codes',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      requireRecentFactor(signedIn)
      const { id } = signedIn.person
      const entry = entryOf(exchange, signedIn, { operation: 'createRecoveryCodes' })
      return { recoveryCodes: await audit.change(entry, () => replaceRecoveryCodes(db, id)) }
    }),
  )
}

async function stepUp(
  identity: Identity,
  exchange: PageExchange,
  signedIn: SignedIn,
): Promise<Session> {
  const { db, audit, sessions } = identity
  const factors = await readJsonBody(exchange.request, StepUpRequest)
  const entry = entryOf(exchange, signedIn, { operation: 'stepUp' })
  const person = await findPerson(db, signedIn.person.id)
  if (!person) throw new AppError('unauthorized', 'Sign in to continue')
  assertComplete(person, factors)
  if (!(await areCorrect(identity, exchange, { person, factors }))) {
    await audit.result(entry, 'Unauthorized')
    throw new AppError('unauthorized', 'The password or the code is wrong')
  }
  await audit.change(entry, () => sessions.markFactor(signedIn.session))
  return await describeSession(db, await sessions.authenticate(exchange.request))
}

/** Rejects a step-up request without a factor that the person has. */
function assertComplete({ password, totpConfirmed }: StoredPerson, factors: StepUpRequest): void {
  if (password === null && !totpConfirmed)
    throw new AppError('invalid', 'Confirm your identity with a passkey, or sign in again')
  if (password !== null && factors.password === undefined)
    throw new AppError('invalid', 'password is required')
  if (totpConfirmed && factors.code === undefined)
    throw new AppError('invalid', 'code is required: enter a one-time code or a recovery code')
}

interface EnteredFactors {
  person: StoredPerson
  factors: StepUpRequest
}

/**
 * Checks the factors of a step-up request. The password is checked first, so that a wrong password
 * uses up no code.
 */
async function areCorrect(
  identity: Identity,
  exchange: PageExchange,
  { person, factors }: EnteredFactors,
): Promise<boolean> {
  const { id, email } = person
  if (person.password !== null) {
    const attempt = await admitAttempt(identity, exchange, { kind: 'confirmation', person: email })
    const password = factors.password ?? ''
    if (!(await checkPassword(identity, { email, password, attempt }))) return false
    await attempt.succeed()
  }
  if (!person.totpConfirmed) return true
  const attempt = await admitAttempt(identity, exchange, { kind: 'code', person: id })
  const { code = '' } = factors
  if (!(await checkCode(identity, id, { code, attempt }))) return false
  await attempt.succeed()
  return true
}
