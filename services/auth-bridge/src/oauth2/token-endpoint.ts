import { AppError } from '@posthorn/errors'
import type { HttpCaller } from '@posthorn/net'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  None,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import type { Application } from './application.ts'
import { signAssertion } from './assertion.ts'
import { clientOf, type Endpoints, findEndpoints, serverOf } from './endpoints.ts'
import { fetchThrough } from './http-fetch.ts'
import { failureOfToken, type TokenFailure } from './token-failure.ts'
import { parseObject } from '../parse-object.ts'

/** What a token endpoint gave. */
export interface TokenAnswer {
  accessToken: string
  /** Absent where the one there was goes on to be good. */
  refreshToken?: string
  /** Epoch milliseconds; absent where it did not say. */
  expires?: number
  /** Absent where they are those that were asked for. */
  scopes?: string[]
  idToken?: string
}

/** A question to a token endpoint. */
export type Grant =
  | { kind: 'refresh_token'; refreshToken: string }
  | { kind: 'authorization_code'; code: string; codeVerifier: string }
  | { kind: 'jwt-bearer'; subject: string }
  | { kind: 'client_credentials' }

export interface EndpointDeps {
  http: Pick<HttpCaller, 'call'>
  now?: () => number
  /** Told of every question: what came of it, and by which status. */
  asked?: (outcome: { provider: string; ok: boolean; statusCode: number }) => void
}

/** A token endpoint said no, or nothing. */
export class TokenRefused extends Error {
  override name = 'TokenRefused'
  readonly failure: TokenFailure

  constructor(failure: TokenFailure) {
    super(failure.error.message)
    this.failure = failure
  }
}

/**
 * Asks an application's provider for a token, once: a refresh token that was taken may be worth nothing when the answer is lost, and
 * asking again is for whoever knows.
 *
 * @throws TokenRefused
 */
export async function requestToken(
  deps: EndpointDeps,
  app: Application,
  grant: Grant,
): Promise<TokenAnswer> {
  const { now = Date.now, asked } = deps
  const outcome = { url: app.profile.tokenUrl ?? '', statusCode: 0 }
  const report = (ok: boolean) =>
    asked?.({ provider: app.provider, ok, statusCode: outcome.statusCode })
  try {
    const endpoints = await findEndpoints(deps, app)
    outcome.url = endpoints.tokenUrl
    const parameters = parametersOf({ app, endpoints }, grant, now())
    const asked = await send({ deps, app, endpoints }, grant, parameters)
    outcome.statusCode = asked.status
    const { response, idToken } = await plain(asked)
    const server = serverOf(endpoints)
    const answer = await processGenericTokenEndpointResponse(server, clientOf(app), response)
    report(true)
    return { ...describe(answer, now()), ...(idToken === undefined ? {} : { idToken }) }
  } catch (error) {
    report(false)
    // The key of a service account may be no key: nobody was asked then.
    if (error instanceof AppError && error.kind === 'rejected')
      throw new TokenRefused({ error, ofApplication: true })
    const secrets = secretsOf(app, grant)
    const { scopes } = app.profile
    const question = { grant: grantTypes[grant.kind], url: outcome.url, scopes, secrets }
    throw new TokenRefused(failureOfToken(error, app, question))
  }
}

const grantTypes = {
  refresh_token: 'refresh_token',
  authorization_code: 'authorization_code',
  'jwt-bearer': 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  client_credentials: 'client_credentials',
} as const

interface Place {
  app: Application
  endpoints: Endpoints
}

/** What is sent beside the kind of grant and who we are. */
function parametersOf(
  { app, endpoints }: Place,
  grant: Grant,
  now: number,
): Record<string, string> {
  const { config, profile, serviceKey = '' } = app
  const scope = profile.scopes.join(' ')
  switch (grant.kind) {
    case 'refresh_token':
      return {
        refresh_token: grant.refreshToken,
        ...(profile.scopesOnRefresh ? { scope } : {}),
      }
    case 'authorization_code':
      return {
        code: grant.code,
        code_verifier: grant.codeVerifier,
        redirect_uri: config.redirectUrl ?? '',
      }
    case 'client_credentials':
      return { scope }
    case 'jwt-bearer': {
      const iss = config.serviceClientEmail ?? config.serviceClient ?? ''
      const claims = { iss, sub: grant.subject, scope, aud: endpoints.tokenUrl }
      return { assertion: signAssertion(claims, serviceKey, now) }
    }
  }
}

function send(
  { deps, app, endpoints }: Place & { deps: EndpointDeps },
  grant: Grant,
  parameters: Record<string, string>,
): Promise<Response> {
  return genericTokenEndpointRequest(
    serverOf(endpoints),
    clientOf(app),
    clientAuthOf(app, endpoints, grant),
    grantTypes[grant.kind],
    parameters,
    { [customFetch]: fetchThrough(deps.http), [allowInsecureRequests]: true },
  )
}

function clientAuthOf(
  { clientSecret }: Application,
  { byBasic }: Endpoints,
  { kind }: Grant,
): ClientAuth {
  // An assertion says who asks.
  if (kind === 'jwt-bearer') return () => undefined
  if (clientSecret === undefined) return None()
  return byBasic ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret)
}

/**
 * The answer without what the OAuth client would throw it away for: id tokens, whose checks must not cost a refresh token that was
 * just replaced, and the token type, which some providers leave out.
 */
async function plain(response: Response): Promise<{ response: Response; idToken?: string }> {
  const text = await response.text()
  const body = parseObject(text)
  const { status, headers } = response
  if (!body) return { response: new Response(text, { status, headers }) }
  const { id_token: idToken, ...rest } = body
  const kept = response.ok ? { token_type: 'Bearer', ...rest } : rest
  return {
    response: Response.json(kept, { status }),
    ...(typeof idToken === 'string' ? { idToken } : {}),
  }
}

function describe(answer: TokenEndpointResponse, now: number): TokenAnswer {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer
  // It goes into lines of IMAP and SMTP.
  if (/[^\x21-\x7e]/.test(accessToken)) throw new Error('no access token can look like that')
  const scopes = answer.scope?.split(/[\s,]+/).filter((scope) => scope !== '')
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(seconds === undefined ? {} : { expires: now + seconds * 1_000 }),
    ...(scopes?.length ? { scopes } : {}),
  }
}

function secretsOf({ clientSecret, serviceKey }: Application, grant: Grant): string[] {
  const sent = 'refreshToken' in grant ? grant.refreshToken : 'code' in grant ? grant.code : ''
  return [clientSecret ?? '', serviceKey ?? '', sent].filter((secret) => secret !== '')
}
