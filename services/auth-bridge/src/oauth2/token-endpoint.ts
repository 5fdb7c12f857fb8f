import { defined } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { HttpCaller } from '@posthorn/net'
import type { Sealer, Unsealer } from '@posthorn/secrets'
import {
  type ClientAuth,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import { parseObject } from '../parse-object.ts'
import { clearAppError, markAppFailed } from '../store/oauth2-apps.ts'
import type { Application } from './application.ts'
import { signAssertion } from './assertion.ts'
import {
  clientAuthOf,
  type Endpoints,
  findEndpoints,
  options,
  toAuthorizationServer,
  toClient,
} from './endpoints.ts'
import { failureOfToken, lastErrorOf, type TokenFailure } from './token-failure.ts'

/** Tokens issued by a token endpoint. */
export interface TokenResponse {
  accessToken: string
  /** Absent if the current refresh token stays valid. */
  refreshToken?: string
  /** Expiry in epoch milliseconds; absent if not reported. */
  expires?: number
  /** Absent if they equal the requested ones. */
  scopes?: string[]
  idToken?: string
}

/** Grant of a token request (RFC 6749 §1.3). */
export type Grant =
  | { kind: 'refresh_token'; refreshToken: string }
  | { kind: 'authorization_code'; code: string; codeVerifier: string }
  | { kind: 'jwt-bearer'; subject: string }
  | { kind: 'client_credentials' }

export interface OAuth2Deps {
  db: Db
  unsealer: Unsealer
  sealer: Sealer
  http: Pick<HttpCaller, 'call'>
  now?: () => number
  /** Called after each token request. `statusCode` is 0 if there was no response. */
  onRequest?: (outcome: { provider: string; ok: boolean; statusCode: number }) => void
}

/** Failed token request with its classification. */
class TokenRequestError extends Error {
  override name = 'TokenRequestError'
  readonly failure: TokenFailure

  constructor(failure: TokenFailure) {
    super(failure.error.message)
    this.failure = failure
  }
}

/**
 * Requests a token once and records the state of the application. It is not retried: a refresh
 * token whose response was lost may be used up.
 *
 * @throws AppError `rejected` or `unreachable`
 */
export async function requestToken(
  deps: OAuth2Deps,
  app: Application,
  grant: Grant,
): Promise<TokenResponse> {
  const { db } = deps
  try {
    const response = await callTokenEndpoint(deps, app, grant)
    // Best effort: the next token clears it again.
    await clearAppError(db, app.id).catch(() => undefined)
    return response
  } catch (error) {
    if (!(error instanceof TokenRequestError)) throw error
    const { error: reported, ofApplication } = error.failure
    if (ofApplication) await markAppFailed(db, app.id, lastErrorOf(reported)).catch(() => undefined)
    throw reported
  }
}

/** @throws TokenRequestError */
async function callTokenEndpoint(
  deps: OAuth2Deps,
  app: Application,
  grant: Grant,
): Promise<TokenResponse> {
  const { now = Date.now, onRequest } = deps
  const request = { url: app.profile.tokenUrl ?? '', statusCode: 0 }
  const report = (ok: boolean) =>
    onRequest?.({ provider: app.provider, ok, statusCode: request.statusCode })
  try {
    const endpoints = await findEndpoints(deps, app)
    request.url = endpoints.tokenUrl
    const parameters = parametersOf({ app, endpoints }, grant, now())
    const server = toAuthorizationServer(endpoints)
    const client = toClient(app)
    const received = await genericTokenEndpointRequest(
      server,
      client,
      authFor(app, endpoints, grant),
      grantTypes[grant.kind],
      parameters,
      options(deps.http),
    )
    request.statusCode = received.status
    const { response, idToken } = await normalize(received)
    const tokens = await processGenericTokenEndpointResponse(server, client, response)
    report(true)
    return { ...toTokenResponse(tokens, now()), ...defined({ idToken }) }
  } catch (error) {
    report(false)
    // The service key is invalid: nothing was sent.
    if (error instanceof AppError && error.kind === 'rejected')
      throw new TokenRequestError({ error, ofApplication: true })
    const secrets = secretsOf(app, grant)
    const { scopes } = app.profile
    const failed = { grant: grantTypes[grant.kind], url: request.url, scopes, secrets }
    throw new TokenRequestError(failureOfToken(error, app, failed))
  }
}

const grantTypes = {
  refresh_token: 'refresh_token',
  authorization_code: 'authorization_code',
  'jwt-bearer': 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  client_credentials: 'client_credentials',
} as const

/** Parameters of a request beside grant type and client authentication. */
function parametersOf(
  { app, endpoints }: { app: Application; endpoints: Endpoints },
  grant: Grant,
  now: number,
): Record<string, string> {
  const { config, profile, serviceKey = '' } = app
  const scope = profile.scopes.join(' ')
  switch (grant.kind) {
    case 'refresh_token':
      return {
        refresh_token: grant.refreshToken,
        ...defined({ scope: profile.scopesOnRefresh ? scope : undefined }),
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

/** An assertion authenticates the client itself. */
function authFor(app: Application, endpoints: Endpoints, { kind }: Grant): ClientAuth {
  return kind === 'jwt-bearer' ? () => undefined : clientAuthOf(app, endpoints)
}

/**
 * Removes the parts of a response that the OAuth client would reject it for: id tokens, whose
 * checks must not cost a refresh token that was just replaced, and a missing token type.
 */
async function normalize(response: Response): Promise<{ response: Response; idToken?: string }> {
  const text = await response.text()
  const body = parseObject(text)
  const { status, headers } = response
  if (!body) return { response: new Response(text, { status, headers }) }
  const { id_token: idToken, ...rest } = body
  return {
    response: Response.json(response.ok ? { token_type: 'Bearer', ...rest } : rest, { status }),
    ...defined({ idToken: typeof idToken === 'string' ? idToken : undefined }),
  }
}

function toTokenResponse(response: TokenEndpointResponse, now: number): TokenResponse {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = response
  // It becomes part of IMAP and SMTP lines.
  if (/[^\x21-\x7e]/.test(accessToken)) throw new Error('access token has invalid characters')
  const scopes = response.scope?.split(/[\s,]+/).filter((scope) => scope !== '')
  return {
    accessToken,
    ...defined({
      refreshToken,
      expires: seconds === undefined ? undefined : now + seconds * 1_000,
      scopes: scopes?.length ? scopes : undefined,
    }),
  }
}

function secretsOf({ clientSecret, serviceKey }: Application, grant: Grant): string[] {
  const sent = 'refreshToken' in grant ? grant.refreshToken : 'code' in grant ? grant.code : ''
  return [clientSecret ?? '', serviceKey ?? '', sent].filter((secret) => secret !== '')
}
