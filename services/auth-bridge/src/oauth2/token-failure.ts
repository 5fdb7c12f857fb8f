import { defined } from '@posthorn/contracts/defined'
import type { LastError } from '@posthorn/contracts/schemas/account'
import type { TokenRequestInfo } from '@posthorn/contracts/schemas/token-request'
import { AppError, messageOf } from '@posthorn/errors'
import { ResponseBodyError } from 'oauth4webapi'
import type { Application } from './application.ts'

/** Token request that failed, with the members that its error reports. */
export interface TokenRequest {
  grant: string
  url: string
  scopes: readonly string[]
  /**
   * Secrets of the token request that are masked in the error, because some endpoints repeat their
   * input.
   */
  secrets: readonly string[]
  /** Delay that the response of the token endpoint requests, in milliseconds. */
  retryAfterMs?: number | undefined
}

/**
 * Classified failure of a token request: a rejection by the token endpoint, or a missing response.
 */
export interface TokenFailure {
  error: AppError
  /** True if the OAuth2 application is misconfigured; false if the OAuth2 grant is at fault. */
  ofApplication: boolean
}

/**
 * Error codes of token endpoints that are temporary in practice. RFC 6749 §5.2 defines no temporary
 * code.
 */
const temporaryCodes = new Set([
  'temporarily_unavailable',
  'server_error',
  'slow_down',
  'internal_failure',
  'rate_limit_exceeded',
])
/**
 * Error numbers of Microsoft's token endpoint that are temporary: 50196 (request loop of a client)
 * and 90033 (transient error of the service).
 */
const temporaryNumbers = [50196, 90033]
/** Error codes of token endpoints whose cause an operator has to fix. */
const applicationCodes = new Set([
  'invalid_client',
  'unauthorized_client',
  'deleted_client',
  'disabled_client',
  'redirect_uri_mismatch',
  'invalid_scope',
  'invalid_resource',
  'unsupported_grant_type',
])
/**
 * Error numbers of Microsoft, with the code `invalid_request`, whose cause an operator has to fix:
 * unknown tenant or redirect URL, scopes of two resources, outdated TLS version.
 */
const applicationNumbers = [90002, 50011, 500113, 28000, 1002016]
/**
 * Error texts of Google, with the code `invalid_grant`, whose cause an operator has to fix: wrong
 * key or clock, service account switched off. The same code also stands for an unknown mailbox.
 */
const serviceAccountTexts = /^(?:Invalid JWT|Robot)\b/i

/**
 * Classifies a failed token request: temporary or permanent, and caused by the OAuth2 application
 * or by the OAuth2 grant.
 */
export function failureOfToken(
  error: unknown,
  app: Application,
  request: TokenRequest,
): TokenFailure {
  if (!(error instanceof ResponseBodyError) || isTemporary(error))
    return { error: unreachable(error, request.retryAfterMs), ofApplication: false }
  const ofApplication = isOfApplication(error)
  const tokenRequest = describe(error, app, { ...request, ofApplication })
  const { error_description: description = error.error } = tokenRequest.response as ReportedResponse
  const code = request.grant === 'refresh_token' ? 'OauthRenewError' : 'TokenGenerationError'
  return {
    error: new AppError('rejected', description, { code, extras: { info: { tokenRequest } } }),
    ofApplication,
  }
}

interface ReportedResponse {
  error_description?: string
}

function isTemporary({ status, error, cause }: ResponseBodyError): boolean {
  if (status >= 500 || status === 429 || temporaryCodes.has(error)) return true
  return hasNumber(cause, temporaryNumbers)
}

function isOfApplication({ error, cause }: ResponseBodyError): boolean {
  if (applicationCodes.has(error)) return true
  if (error === 'invalid_request') return hasNumber(cause, applicationNumbers)
  const text = cause['error_description']
  return error === 'invalid_grant' && typeof text === 'string' && serviceAccountTexts.test(text)
}

/** True if an error response of Microsoft contains one of the expected AADSTS numbers. */
function hasNumber(
  { error_codes: numbers }: Record<string, unknown>,
  expected: readonly number[],
): boolean {
  return Array.isArray(numbers) && numbers.some((code) => expected.includes(Number(code)))
}

/** Error code of an unreachable token endpoint (interface spec, "Authentication server" 6). */
export const unreachableCode = 'ETokenRefresh'

function unreachable(error: unknown, retryAfterMs: number | undefined): AppError {
  return new AppError('unreachable', 'The token endpoint could not be used', {
    code: unreachableCode,
    cause: new Error(messageOf(error)),
    extras: defined({
      ttl: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000),
    }),
  })
}

const unconfirmedText =
  'The provider rejected a refresh token that may be valid, which is tried again'

/**
 * Error texts of rejections that also occur for valid refresh tokens: Google's rejection without a
 * reason, and Microsoft's rejection for personal accounts. Other texts with the code
 * `invalid_grant` are final.
 */
const unconfirmedTexts =
  /^(?:Bad Request$|AADSTS70000: The provided value for the input parameter 'refresh_token')/

/** Delay, in seconds, until the renewal is repeated to confirm a rejection of a refresh token. */
const confirmationSeconds = 60

/**
 * Error of a failed token renewal, depending on the failure of the previous renewal. A rejection
 * that also occurs for valid refresh tokens is temporary until it is repeated.
 */
export function unlessUnconfirmed(error: AppError, before: LastError | undefined): AppError {
  const isUnconfirmed = error.code === 'OauthRenewError' && unconfirmedTexts.test(error.message)
  if (!isUnconfirmed || before?.response === unconfirmedText) return error
  return new AppError('unreachable', unconfirmedText, {
    code: unreachableCode,
    extras: { ttl: confirmationSeconds },
    cause: error,
  })
}

/**
 * Members of a token endpoint's error that are reported, each with at most `maxText` characters.
 */
const reportedMembers = [
  'error',
  'error_description',
  'error_uri',
  'error_subtype',
  'suberror',
  'error_codes',
  'timestamp',
  'trace_id',
  'correlation_id',
]
const maxText = 1_024

function describe(
  { status, error, cause }: ResponseBodyError,
  { provider, clientId, config }: Application,
  { grant, url, scopes, secrets, ofApplication }: TokenRequest & { ofApplication: boolean },
): TokenRequestInfo {
  const response = Object.fromEntries(
    reportedMembers.flatMap((key) =>
      cause[key] === undefined ? [] : [[key, sanitize(cause[key], secrets)]],
    ),
  )
  const { authority, serviceClient, serviceClientEmail } = config
  return {
    url,
    method: 'post',
    grant,
    provider,
    status,
    code: error.slice(0, 256),
    ...defined({
      clientId: provider.endsWith('Service') ? undefined : clientId,
      authority,
      serviceClient,
      serviceClientEmail,
      flag: ofApplication ? { message: flagOf(error, cause), code: error } : undefined,
      userFlag: ofApplication ? undefined : { message: 'The owner has to log in again' },
    }),
    scopes: [...scopes],
    response,
  }
}

function flagOf(error: string, response: Record<string, unknown>): string {
  if (hasNumber(response, [7000222])) return 'The client secret has expired'
  if (hasNumber(response, [90002])) return 'The tenant does not exist'
  if (hasNumber(response, [50011, 500113])) return unregisteredRedirect
  if (error === 'invalid_grant') return 'The service account or its key cannot be used'
  if (error === 'deleted_client' || error === 'disabled_client')
    return 'The client was deleted or disabled at the provider'
  if (error === 'invalid_client') return 'The client id or its secret is wrong'
  if (error === 'redirect_uri_mismatch') return unregisteredRedirect
  return 'The provider does not allow this application the requested access'
}

const unregisteredRedirect = 'The redirect URL is not registered at the provider'

/** Masks the secrets in a member of an error response and truncates its text. */
function sanitize(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) return value.slice(0, 10).map(Number)
  if (typeof value !== 'string') return undefined
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '******'), value)
    .slice(0, maxText)
}

/** Converts an error of a token renewal to the form of a `lastError` column. */
export function lastErrorOf({ message, code, extras }: AppError): LastError {
  const tokenRequest = extras.info?.['tokenRequest'] as TokenRequestInfo | undefined
  return { response: message, ...defined({ serverResponseCode: code, tokenRequest }) }
}

/**
 * Restores a renewal error from a `lastError` column. Callers get this error until the next token
 * renewal.
 */
export function errorOf({
  response = '',
  serverResponseCode: code,
  tokenRequest,
}: LastError): AppError {
  const extras = tokenRequest && { info: { tokenRequest } }
  return new AppError(
    code === unreachableCode ? 'unreachable' : 'rejected',
    response,
    defined({ code, extras }),
  )
}
