import { PasskeyOptionsRequest, PasskeyRequest } from '@posthorn/contracts/admin/factors'
import type { Session } from '@posthorn/contracts/admin/session'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import { relyingPartyOf } from '../factors/relying-party.ts'
import { readJsonBody } from '../http/read-body.ts'
import { describeSession } from '../identity/describe-session.ts'
import { routeOf } from '../identity/sessions.ts'
import { markPasskeyUsed } from '../store/passkeys.ts'
import { admitAttempt } from './check-password.ts'
import { endpoint, entryOf, type PageExchange } from './endpoint.ts'
import type { PasskeyEndpoints } from './passkeys.ts'

/**
 * Mounts the endpoints for the sign-in and the step-up by passkey. A passkey counts as both
 * factors.
 */
export function mountPasskeySignIn(router: Router, deps: PasskeyEndpoints): void {
  const { identity, passkeys, adminUrl } = deps
  router.post(
    '/admin/session/passkey/options',
    endpoint(async ({ request }) => {
      const { purpose = 'signIn' } = await readJsonBody(request, PasskeyOptionsRequest)
      const party = relyingPartyOf(request, adminUrl)
      const address = identity.addressOf(request)
      if (purpose === 'signIn') return await passkeys.useOptions(party, { address })
      const { person } = await identity.sessions.authenticate(request)
      return await passkeys.useOptions(party, { address, person: person.id })
    }),
  )
  router.post(
    '/admin/session/passkey',
    endpoint(async (exchange) => {
      const used = await readJsonBody(exchange.request, PasskeyRequest)
      return used.purpose === 'signIn'
        ? await signIn(deps, exchange, used)
        : await stepUp(deps, exchange, used)
    }),
  )
}

async function signIn(
  { identity, passkeys, adminUrl }: PasskeyEndpoints,
  exchange: PageExchange,
  used: PasskeyRequest,
): Promise<Session> {
  const { db, audit, sessions, addressOf, countSignIn } = identity
  const { request } = exchange
  const use = await passkeys.check(used, relyingPartyOf(request, adminUrl))
  const operation = 'signInWithPasskey'
  if (use === undefined) {
    // Limits the rows that failed sign-ins of one network address add to the audit log.
    await admitAttempt(identity, exchange, { kind: 'link' })
    countSignIn('failed')
    const entry = { address: addressOf(request), operation, ...routeOf(request) }
    await audit.result(entry, 'Unauthorized')
    throw refused()
  }
  const consume = (tx: typeof db) => markPasskeyUsed(tx, use)
  const signedIn = await sessions.start(use.person, exchange, { consume, operation })
  countSignIn('done')
  return await describeSession(db, signedIn)
}

async function stepUp(
  { identity, passkeys, adminUrl }: PasskeyEndpoints,
  exchange: PageExchange,
  used: PasskeyRequest,
): Promise<Session> {
  const { db, audit, sessions } = identity
  const { request } = exchange
  const signedIn = await sessions.authenticate(request)
  const use = await passkeys.check(used, relyingPartyOf(request, adminUrl), signedIn.person.id)
  const entry = entryOf(exchange, signedIn, { operation: 'stepUpWithPasskey' })
  if (use === undefined || !(await markPasskeyUsed(db, use))) {
    await audit.result(entry, 'Forbidden')
    // The status for a refused passkey is not 401, because 401 means that the session has ended.
    throw new AppError('invalid', 'The passkey was not accepted. Try again')
  }
  await audit.change(entry, () => sessions.markFactor(signedIn.session))
  return await describeSession(db, await sessions.authenticate(request))
}

function refused(): AppError {
  const message = 'The passkey was not accepted. Try again or sign in with the password'
  return new AppError('unauthorized', message, { reason: 'passkey refused' })
}
