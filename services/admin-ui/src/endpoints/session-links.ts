import {
  AcceptInvitationRequest,
  type InvitationDetails,
  InvitationDetailsRequest,
  type Session,
  SetUpRequest,
} from '@posthorn/contracts/admin/session'
import { defined } from '@posthorn/contracts/defined'
import type { Router } from 'express'
import { readJsonBody } from '../http/read-body.ts'
import type { Identity } from '../identity/create-identity.ts'
import { describeSession } from '../identity/describe-session.ts'
import { routeOf } from '../identity/sessions.ts'
import {
  findInvitation,
  findOwnerLink,
  type LinkResult,
  type LinkUse,
  useInvitation,
  useOwnerLink,
} from '../identity/use-links.ts'
import { findPersonByEmail } from '../store/people.ts'
import { admitAttempt, requirePasswords } from './check-password.ts'
import { endpoint, type PageExchange } from './endpoint.ts'

/** Mounts the endpoints for set-up links, recovery links and invitations, which start a session. */
export function mountSessionLinks(router: Router, identity: Identity): void {
  router.post(
    '/admin/session/set-up',
    endpoint((exchange) => setUp(identity, exchange)),
  )
  // The token of an invitation is sent in the body of the request, because proxies log queries.
  router.post(
    '/admin/session/invitation/details',
    endpoint((exchange) => describeInvitation(identity, exchange)),
  )
  router.post(
    '/admin/session/invitation',
    endpoint((exchange) => acceptInvitation(identity, exchange)),
  )
}

async function setUp(identity: Identity, exchange: PageExchange): Promise<Session> {
  const { token, email, name, password } = await readJsonBody(exchange.request, SetUpRequest)
  const attempt = await admitAttempt(identity, exchange, { kind: 'link' })
  // A new password is hashed only for a usable link, because hashing is expensive.
  await findOwnerLink(identity.db, token, email)
  const use = { token, email, name, password: await identity.passwords.hash(password) }
  const session = await useLink(identity, exchange, { operation: 'setUp', use, run: useOwnerLink })
  await attempt.succeed()
  return session
}

async function describeInvitation(
  identity: Identity,
  exchange: PageExchange,
): Promise<InvitationDetails> {
  const { db } = identity
  const { token } = await readJsonBody(exchange.request, InvitationDetailsRequest)
  const attempt = await admitAttempt(identity, exchange, { kind: 'link' })
  const { email, role, kind, expiresAt } = await findInvitation(db, token)
  const person = kind === 'recovery' ? await findPersonByEmail(db, email) : undefined
  await attempt.succeed()
  return defined({ email, role, name: person?.name, expiresAt: expiresAt.toISOString() })
}

async function acceptInvitation(identity: Identity, exchange: PageExchange): Promise<Session> {
  const { token, name, password } = await readJsonBody(exchange.request, AcceptInvitationRequest)
  const attempt = await admitAttempt(identity, exchange, { kind: 'link' })
  const { email, kind } = await findInvitation(identity.db, token)
  // Recovery links stay usable, also if people sign in at the OpenID provider only.
  if (kind === 'invitation') requirePasswords(identity)
  const use = { token, email, name, password: await identity.passwords.hash(password) }
  const action = { operation: 'acceptInvitation', use, run: useInvitation }
  const session = await useLink(identity, exchange, action)
  await attempt.succeed()
  return session
}

interface LinkAction {
  operation: string
  use: LinkUse
  run: (db: Identity['db'], use: LinkUse) => Promise<LinkResult>
}

/** Uses a set-up link, recovery link or invitation, records the change and signs the person in. */
async function useLink(
  { db, audit, addressOf, sessions }: Identity,
  exchange: PageExchange,
  { operation, use, run }: LinkAction,
): Promise<Session> {
  const { email, password } = use
  const { request } = exchange
  const keys = ['email', 'name', 'password']
  const entry = { email, address: addressOf(request), operation, keys, ...routeOf(request) }
  const { person, ended } = await audit.change(entry, () => run(db, use))
  sessions.broadcastEnd(ended)
  const signedIn = await sessions.start(person, exchange, { password })
  return await describeSession(db, signedIn)
}
