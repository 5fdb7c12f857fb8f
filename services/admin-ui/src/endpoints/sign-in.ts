import {
  PersonEmail,
  type SecondFactorRequired,
  SecondFactorRequest,
  type Session,
  SignInRequest,
} from '@posthorn/contracts/admin/session'
import { matches } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import { readJsonBody } from '../http/read-body.ts'
import type { Identity } from '../identity/create-identity.ts'
import { describeSession } from '../identity/describe-session.ts'
import { consumeTicket, createTicket, openTicket } from '../identity/second-factor.ts'
import { routeOf } from '../identity/sessions.ts'
import { findPerson } from '../store/people.ts'
import { checkCode } from './check-code.ts'
import { admitAttempt, checkPassword, requirePasswords } from './check-password.ts'
import { endpoint, type PageExchange } from './endpoint.ts'

/** Mounts the endpoints for the sign-in by password and its second factor. */
export function mountSignIn(router: Router, identity: Identity): void {
  router.post(
    '/admin/session/sign-in',
    endpoint((exchange) => signIn(identity, exchange)),
  )
  router.post(
    '/admin/session/second-factor',
    endpoint((exchange) => enterSecondFactor(identity, exchange)),
  )
}

async function signIn(
  identity: Identity,
  exchange: PageExchange,
): Promise<Session | SecondFactorRequired> {
  const { db, sessions, countSignIn } = identity
  requirePasswords(identity)
  const { email, password } = await readJsonBody(exchange.request, SignInRequest)
  const attempt = await admitAttempt(identity, exchange, { kind: 'person', person: email })
  const person = await checkPassword(identity, { email, password, attempt })
  if (!person) throw await failed(identity, exchange, { email, operation: 'signIn' })
  const checked = { person: person.id, password: person.password }
  if (person.totpConfirmed) {
    // An attempt with a correct password still counts, so that a known password allows no unlimited
    // number of codes.
    const ticket = await createTicket(db, checked)
    if (ticket === undefined) throw await failed(identity, exchange, { email, operation: 'signIn' })
    countSignIn('secondFactor')
    return { secondFactor: { ticket } }
  }
  const signedIn = await sessions.start(person.id, exchange, checked)
  await attempt.succeed()
  countSignIn('done')
  return await describeSession(db, signedIn)
}

async function enterSecondFactor(identity: Identity, exchange: PageExchange): Promise<Session> {
  const { db, sessions, limits, countSignIn } = identity
  const { ticket, code } = await readJsonBody(exchange.request, SecondFactorRequest)
  const id = await openTicket(db, ticket)
  const attempt = await admitAttempt(identity, exchange, { kind: 'code', person: id })
  const person = await findPerson(db, id)
  if (!person || !(await checkCode(identity, id, { code, attempt })))
    throw await failed(identity, exchange, { email: person?.email, operation: 'secondFactor' })
  const signedIn = await sessions.start(id, exchange, {
    consume: (tx) => consumeTicket(tx, ticket),
  })
  await attempt.succeed()
  await limits.reset({ kind: 'person', person: person.email })
  countSignIn('done')
  return await describeSession(db, signedIn)
}

/**
 * Records a failed sign-in. Returns the error for the client, which is the same for all reasons.
 */
async function failed(
  { audit, addressOf, countSignIn }: Identity,
  { request }: PageExchange,
  { email, operation }: { email: string | undefined; operation: 'signIn' | 'secondFactor' },
): Promise<AppError> {
  countSignIn('failed')
  // A text that is no email address is not recorded, because people enter passwords by mistake.
  const named = email !== undefined && matches(PersonEmail, email) ? { email } : {}
  const entry = { ...named, address: addressOf(request), operation, ...routeOf(request) }
  await audit.result(entry, 'Unauthorized')
  const message =
    operation === 'signIn' ? 'The email address or the password is wrong' : 'The code is wrong'
  return new AppError('unauthorized', message, { reason: `${operation} failed` })
}
