import type { SignInOptions } from '@posthorn/contracts/admin/session'
import { defined } from '@posthorn/contracts/defined'
import type { Router } from 'express'
import type { Identity } from '../identity/create-identity.ts'
import { describeSession } from '../identity/describe-session.ts'
import { hasOwner } from '../store/people.ts'
import { endpoint, entryOf, signedInEndpoint } from './endpoint.ts'

/** Mounts the endpoints for the state of the session, the ways to sign in and the sign-out. */
export function mountSession(router: Router, identity: Identity): void {
  const { db, sessions, audit } = identity
  router.get(
    '/admin/session',
    signedInEndpoint(identity, (_exchange, signedIn) => describeSession(db, signedIn)),
  )
  router.get(
    '/admin/session/options',
    endpoint(() => describeOptions(identity)),
  )
  router.post(
    '/admin/session/sign-out',
    endpoint(async (exchange) => {
      const signedIn = await sessions.find(exchange.request)
      await sessions.signOut(exchange)
      if (signedIn)
        await audit.result(entryOf(exchange, signedIn, { operation: 'signOut' }), 'done')
    }),
  )
}

/**
 * Describes the ways to sign in that admin-ui offers. `setUp` is true until the first owner exists.
 */
async function describeOptions({ db, offers }: Identity): Promise<SignInOptions> {
  const { passwords, oidc } = offers
  return defined({ setUp: !(await hasOwner(db)), passwords, oidc })
}
