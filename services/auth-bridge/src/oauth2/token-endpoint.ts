import { defined } from '@posthorn/contracts/defined'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { HttpCaller } from '@posthorn/net/http-caller'
import { readRetryAfter } from '@posthorn/net/retry-after'
import type { Sealer, Unsealer } from '@posthorn/secrets'
import {
  type ClientAuth,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import type { BoundSecrets } from '../bound-secrets.ts'
import { parseObject } from '../parse-object.ts'
import { clearAppError, markAppFailed } from '../store/oauth2-apps.ts'
import type { Application } from './application.ts'
import {
  clientAuthOf,
  type Endpoints,
  findEndpoints,
  options,
  toAuthorizationServer,
  toClient,
} from './endpoints.ts'
import type { Federation } from './federation.ts'
import { signServiceAssertion } from './sign-service-assertion.ts'
import { failureOfToken, lastErrorOf, type TokenFailure } from './token-failure.ts'

/** Tokens issued by the token endpoint of an OAuth2 provider. */
export interface TokenResponse {
  accessToken: string
  /** New refresh token; absent if the current refresh token stays valid. */
  refreshToken?: string
  /**
   * Expiry of the access token in epoch milliseconds; absent if the provider did not report the
   * expiry.
   */
  expires?: number
  lifetimeMs?: number
  /** Granted OAuth2 scopes; absent if they equal the requested scopes. */
  scopes?: string[]
  idToken?: string
}

/** Grant of a token request in the sense of OAuth 2.0 (RFC 6749 §1.3), such as a refresh token. */
export type Grant =
  | { kind: 'refresh_token'; refreshToken: string }
  | { kind: 'authorization_code'; code: string; codeVerifier: string }
  | { kind: 'jwt-bearer'; subject: string }
  | { kind: 'client_credentials' }

export interface OAuth2Deps {
  db: Db
  unsealer: Unsealer
  secrets: BoundSecrets
  sealer: Sealer
  http: Pick<HttpCaller, 'call'>
  federation: Pick<Federation, 'sign'>
  now?: () => number
  /**
   * Called before a token request is sent to the OAuth2 provider. If the function fails, the token
   * request is not sent.
   */
  beforeRequest?: () => Promise<void>
  /**
   * Called after each token request to the OAuth2 provider. `statusCode` is 0 if there was no
   * response.
   */
  onRequest?: (outcome: { provider: string; ok: boolean; statusCode: number }) => void
}

/**
 * Error of a failed token request, with a classification: temporary or permanent, fault of the
 * OAuth2 application or of the OAuth2 grant.
 */
class TokenRequestError extends Error {
  override name = 'TokenRequestError'
  readonly failure: TokenFailure

  constructor(failure: TokenFailure) {
    super(failure.error.message)
    this.failure = failure
  }
}

/**
 * Requests an OAuth2 token once and records whether the application works. The request is not
 * retried, because a refresh token may be used up even if the response was lost.
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
    // Ignores a failure to clear the application's error, because the next token request clears the
    // error again.
    await clearAppError(db, app.id).catch(() => undefined)
    return response
  } catch (error) {
    if (!(error instanceof TokenRequestError)) throw error
    const { error: reported, ofApplication } = error.failure
    if (ofApplication) await markAppFailed(db, app.id, lastErrorOf(reported)).catch(() => undefined)
    throw reported
  }
}

/**
 * Sends one request to the token endpoint of an OAuth2 provider.
 *
 * @throws TokenRequestError
 */
async function callTokenEndpoint(
  deps: OAuth2Deps,
  app: Application,
  grant: Grant,
): Promise<TokenResponse> {
  const { now = Date.now, onRequest } = deps
  const request: RequestProgress = { url: app.profile.tokenUrl ?? '', statusCode: 0 }
  const report = (ok: boolean) =>
    onRequest?.({ provider: app.provider, ok, statusCode: request.statusCode })
  try {
    const endpoints = await findEndpoints(deps, app)
    request.url = endpoints.tokenUrl
    const parameters = await parametersOf(deps, { app, endpoints }, grant)
    const server = toAuthorizationServer(endpoints)
    const client = toClient(app)
    await deps.beforeRequest?.()
    const received = await genericTokenEndpointRequest(
      server,
      client,
      authFor(app, endpoints, { grant, now: now() }),
      grantTypes[grant.kind],
      parameters,
      options(deps.http),
    )
    request.statusCode = received.status
    request.retryAfterMs = retryAfterOf(received)
    const { response, idToken } = await normalize(received)
    const tokens = await processGenericTokenEndpointResponse(server, client, response)
    report(true)
    return { ...toTokenResponse(tokens, now()), ...defined({ idToken }) }
  } catch (error) {
    report(false)
    // No token was requested, because the service account key or the workload identity federation
    // of the OAuth2 application is invalid: the error belongs to the application.
    if (error instanceof AppError && error.kind === 'rejected')
      throw new TokenRequestError({ error, ofApplication: true })
    const secrets = secretsOf(app, grant)
    const { scopes } = app.profile
    const { url, retryAfterMs } = request
    const failed = { grant: grantTypes[grant.kind], url, scopes, secrets, retryAfterMs }
    throw new TokenRequestError(failureOfToken(error, app, failed))
  }
}

/** Progress of a token request, from which a failed request is reported. */
interface RequestProgress {
  url: string
  /** HTTP status of the response to the token request; 0 without a response. */
  statusCode: number
  retryAfterMs?: number | undefined
}

/**
 * Maximum `Retry-After` of a token endpoint that is respected. Providers request much shorter
 * delays. A longer delay would keep the account disconnected as if the login were rejected.
 */
const maxRetryAfterMs = 10 * 60_000

function retryAfterOf({ headers }: Response): number | undefined {
  const retryAfter = headers.get('retry-after') ?? undefined
  const date = headers.get('date') ?? undefined
  return readRetryAfter(defined({ 'retry-after': retryAfter, date }), { maxMs: maxRetryAfterMs })
}

const grantTypes = {
  refresh_token: 'refresh_token',
  authorization_code: 'authorization_code',
  'jwt-bearer': 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  client_credentials: 'client_credentials',
} as const

/**
 * Parameters of a token request to an OAuth2 provider, in addition to grant type and client
 * authentication.
 */
async function parametersOf(
  deps: OAuth2Deps,
  { app, endpoints }: { app: Application; endpoints: Endpoints },
  grant: Grant,
): Promise<Record<string, string>> {
  const { config, profile } = app
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
      const request = { subject: grant.subject, audience: endpoints.tokenUrl }
      return { assertion: await signServiceAssertion(deps, app, request) }
    }
  }
}

/**
 * Client authentication of a token request. An assertion of a service account needs none, because
 * it authenticates the client itself.
 */
function authFor(
  app: Application,
  endpoints: Endpoints,
  { grant, now }: { grant: Grant; now: number },
): ClientAuth {
  return grant.kind === 'jwt-bearer' ? () => undefined : clientAuthOf(app, endpoints, now)
}

/**
 * Removes parts of a token response because of which the OAuth client library would reject the
 * response. Id tokens are removed: a failed check must not cost a refresh token that was just
 * replaced. A missing token type is added.
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
  // Rejects access tokens with spaces, control characters or non-ASCII characters, because the
  // access token becomes part of IMAP and SMTP lines.
  if (/[^\x21-\x7e]/.test(accessToken)) throw new Error('access token has invalid characters')
  const scopes = response.scope?.split(/[\s,]+/).filter((scope) => scope !== '')
  return {
    accessToken,
    ...defined({
      refreshToken,
      expires: seconds === undefined ? undefined : now + seconds * 1_000,
      lifetimeMs: seconds === undefined ? undefined : seconds * 1_000,
      scopes: scopes?.length ? scopes : undefined,
    }),
  }
}

function secretsOf({ clientSecret, serviceKey, externalAccount }: Application, grant: Grant) {
  const sent = 'refreshToken' in grant ? grant.refreshToken : 'code' in grant ? grant.code : ''
  const secrets = [clientSecret, serviceKey, externalAccount, sent]
  return secrets.flatMap((secret) => (secret ? [secret] : []))
}
