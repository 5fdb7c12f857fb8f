import { networkOf } from '@posthorn/net/addresses'
import type { Logger } from '@posthorn/telemetry'
import type { RequestHandler, Router } from 'express'
import { outcomeOfError } from '../audit/audit-log.ts'
import { relyingPartyOf } from '../factors/relying-party.ts'
import type { Identity } from '../identity/create-identity.ts'
import { hashSecret, newSecret } from '../identity/secrets.ts'
import { routeOf } from '../identity/sessions.ts'
import { readClaims } from '../oidc/admission.ts'
import { admitPerson } from '../oidc/admit-person.ts'
import type { OidcClient, SignInRequestState } from '../oidc/client.ts'
import type { OidcConfig } from '../oidc/oidc-config.ts'
import { logFieldsOf, OpenIdError, openIdFailureOf } from '../oidc/open-id-error.ts'
import {
  clearStateCookie,
  readStateCookie,
  setStateCookie,
  stateMinutes,
} from '../oidc/state-cookie.ts'
import { consumeChallenge, countChallenges, insertChallenge } from '../store/challenges.ts'
import { endpoint, type PageExchange } from './endpoint.ts'

export interface OidcEndpoints {
  identity: Identity
  config: OidcConfig
  client: OidcClient
  /**
   * Origin of the administration pages. If undefined, the origin of a request on this machine is
   * used.
   */
  adminUrl: string | undefined
  log: Pick<Logger, 'warn' | 'error'>
}

const kind = 'oidc'
/**
 * Maximum unfinished sign-ins at the OpenID provider per network address, so that a flood stays
 * small.
 */
const maxOpen = 100

/** Mounts the two addresses of the sign-in at the OpenID provider, to which browsers navigate. */
export function mountOidc(router: Router, deps: OidcEndpoints): void {
  router.get('/admin/session/oidc', navigation(deps, start))
  router.get('/admin/session/oidc/callback', navigation(deps, finish))
}

type SignInStep = (deps: OidcEndpoints, exchange: PageExchange) => Promise<void>

/**
 * Creates the handler for a step of the sign-in at the OpenID provider. If the step fails, the
 * browser gets the sign-in page.
 */
function navigation(deps: OidcEndpoints, step: SignInStep): RequestHandler {
  return endpoint(async (exchange) => {
    try {
      await step(deps, exchange)
    } catch (error) {
      const failure = openIdFailureOf(error)
      const level = failure === 'failed' ? 'error' : 'warn'
      deps.log[level](logFieldsOf(error), 'sign-in at the OpenID provider failed')
      exchange.response.redirect(303, `/admin/sign-in?error=${failure}`)
    }
  })
}

async function start(
  { identity, client, adminUrl }: OidcEndpoints,
  exchange: PageExchange,
): Promise<void> {
  const { db, addressOf } = identity
  const network = networkOf(addressOf(exchange.request))
  if ((await countChallenges(db, { kind, network })) >= maxOpen)
    throw new OpenIdError('limited', { kind: 'rate-limited', message: 'Too many open sign-ins' })
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
 * Uses up the unfinished sign-in at the OpenID provider that this browser has started.
 *
 * @throws OpenIdError `expired` if another browser has started the sign-in, or it has expired
 */
async function useState(
  { identity }: OidcEndpoints,
  exchange: PageExchange,
  secure: boolean,
): Promise<SignInRequestState> {
  const cookie = readStateCookie(exchange, secure)
  clearStateCookie(exchange, secure)
  const stored = cookie && (await consumeChallenge(identity.db, { hash: hashSecret(cookie), kind }))
  if (!stored) {
    const message = 'The sign-in has expired. Start the sign-in again'
    throw new OpenIdError('expired', { kind: 'unauthorized', message })
  }
  const { state, nonce, verifier } = stored.content
  return { state: String(state), nonce: String(nonce), verifier: String(verifier) }
}

function callbackOf(origin: string): string {
  return `${origin}/admin/session/oidc/callback`
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:')
}
