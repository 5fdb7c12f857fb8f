import { AppError } from '@posthorn/errors'
import { networkOf } from '@posthorn/net/addresses'
import type { Router } from 'express'
import { outcomeOfError } from '../audit/audit-log.ts'
import { relyingPartyOf } from '../factors/relying-party.ts'
import type { Identity } from '../identity/create-identity.ts'
import { hashSecret, newSecret } from '../identity/secrets.ts'
import { routeOf } from '../identity/sessions.ts'
import { readClaims } from '../oidc/admission.ts'
import { admitPerson } from '../oidc/admit-person.ts'
import type { OidcClient, SignInRequestState } from '../oidc/client.ts'
import type { OidcConfig } from '../oidc/oidc-config.ts'
import {
  clearStateCookie,
  readStateCookie,
  setStateCookie,
  stateMinutes,
} from '../oidc/state-cookie.ts'
import { consumeChallenge, insertChallenge } from '../store/challenges.ts'
import { countChallenges } from '../store/passkeys.ts'
import { endpoint, type PageExchange } from './endpoint.ts'

export interface OidcEndpoints {
  identity: Identity
  config: OidcConfig
  client: OidcClient
  /** Origin of the pages. Undefined: the origin of a request on this machine. */
  adminUrl: string | undefined
}

const kind = 'oidc'
/** Maximum unfinished sign-ins of one network address, so that a flood stays small. */
const maxOpen = 100

/** Mounts the sign-in at the OpenID provider. Browsers navigate to both addresses. */
export function mountOidc(router: Router, deps: OidcEndpoints): void {
  router.get(
    '/admin/session/oidc',
    endpoint((exchange) => start(deps, exchange)),
  )
  router.get(
    '/admin/session/oidc/callback',
    endpoint((exchange) => finish(deps, exchange)),
  )
}

async function start(
  { identity, client, adminUrl }: OidcEndpoints,
  exchange: PageExchange,
): Promise<void> {
  const { db, addressOf } = identity
  const network = networkOf(addressOf(exchange.request))
  if ((await countChallenges(db, { kind, network })) >= maxOpen)
    throw new AppError('rate-limited', 'Too many sign-ins were started. Retry later', {
      extras: { ttl: stateMinutes * 60 },
    })
  const { origin } = relyingPartyOf(exchange.request, adminUrl)
  const { url, expected } = await client.start(callbackOf(origin))
  const cookie = newSecret()
  await insertChallenge(db, {
    hash: hashSecret(cookie),
    kind,
    person: null,
    content: { ...expected, network },
    minutes: stateMinutes,
  })
  setStateCookie(exchange, cookie, isSecure(origin))
  exchange.response.redirect(303, url)
}

async function finish(deps: OidcEndpoints, exchange: PageExchange): Promise<void> {
  const { identity, client, config, adminUrl } = deps
  const { db, audit, sessions, addressOf, countSignIn } = identity
  const { request, response } = exchange
  const { origin } = relyingPartyOf(request, adminUrl)
  const expected = await useState(deps, exchange, isSecure(origin))
  const callback = new URL(callbackOf(origin))
  callback.search = request.originalUrl.split('?').slice(1).join('?')
  const operation = 'signInWithOpenId'
  const entry = { address: addressOf(request), operation, ...routeOf(request) }
  try {
    const person = readClaims(await client.finish(callback, expected), config)
    const broadcastEnd = (ids: readonly string[]) => sessions.broadcastEnd(ids)
    const admit = () => admitPerson({ db, config, broadcastEnd }, person)
    const named = person.email === undefined ? entry : { ...entry, email: person.email }
    const id = await audit.change({ ...named, operation: 'admitPerson' }, admit)
    await sessions.start(id, exchange, { operation })
  } catch (error) {
    countSignIn('failed')
    await audit.result(entry, outcomeOfError(error).outcome)
    throw error
  }
  countSignIn('done')
  response.redirect(303, '/admin/')
}

/**
 * Uses up the sign-in that this browser has started.
 *
 * @throws AppError `unauthorized` if another browser has started the sign-in, or it has expired
 */
async function useState(
  { identity }: OidcEndpoints,
  exchange: PageExchange,
  secure: boolean,
): Promise<SignInRequestState> {
  const cookie = readStateCookie(exchange, secure)
  clearStateCookie(exchange, secure)
  const stored = cookie && (await consumeChallenge(identity.db, { hash: hashSecret(cookie), kind }))
  if (!stored)
    throw new AppError('unauthorized', 'The sign-in has expired. Start the sign-in again')
  const { state, nonce, verifier } = stored.content
  return { state: String(state), nonce: String(nonce), verifier: String(verifier) }
}

function callbackOf(origin: string): string {
  return `${origin}/admin/session/oidc/callback`
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:')
}
