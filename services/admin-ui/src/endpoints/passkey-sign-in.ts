import { PasskeyOptionsRequest, PasskeyRequest } from '@posthorn/contracts/admin/factors'
import type { Session } from '@posthorn/contracts/admin/session'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import { relyingPartyOf } from '../factors/relying-party.ts'
import { readJsonBody } from '../http/read-body.ts'
import type { Identity } from '../identity/create-identity.ts'
import { describeSession } from '../identity/describe-session.ts'
import { routeOf } from '../identity/sessions.ts'
import { markPasskeyUsed } from '../store/passkeys.ts'
import { admitAttempt } from './check-password.ts'
import { endpoint, entryOf, type PageExchange } from './endpoint.ts'
import type { PasskeyEndpoints } from './passkeys.ts'

/** Name of the sign-in by passkey in the audit log. */
const operation = 'signInWithPasskey'

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
  const { db, sessions, countSignIn } = identity
  const use = await passkeys.check(used, relyingPartyOf(exchange.request, adminUrl))
  if (use === undefined) throw await refused(identity, exchange)
  const consume = (tx: typeof db) => markPasskeyUsed(tx, use)
  const signedIn = await sessions
    .start(use.person, exchange, { consume, operation })
    .catch(async (error: unknown) => {
      const isRefusal = error instanceof AppError && error.kind === 'unauthorized'
      throw isRefusal ? await refused(identity, exchange) : error
    })
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

/**
 * Records a refused sign-in by passkey: unknown, of a disabled person, or used at the same time.
 * Returns the error for the client, which is the same for all reasons.
 */
async function refused(identity: Identity, exchange: PageExchange): Promise<AppError> {
  const { audit, addressOf, countSignIn } = identity
  const { request } = exchange
  // Limits the rows that failed sign-ins of one network address add to the audit log.
  await admitAttempt(identity, exchange, { kind: 'link' })
  countSignIn('failed')
  const entry = { address: addressOf(request), operation, ...routeOf(request) }
  await audit.result(entry, 'Unauthorized')
  const message = 'The passkey was not accepted. Try again or sign in with the password'
  return new AppError('unauthorized', message, { reason: 'passkey refused' })
}
