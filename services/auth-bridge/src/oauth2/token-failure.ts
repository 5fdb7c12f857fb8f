import { defined } from '@posthorn/contracts/defined'
import type { LastError } from '@posthorn/contracts/schemas/account'
import type { TokenRequestInfo } from '@posthorn/contracts/schemas/token-request'
import { AppError, messageOf } from '@posthorn/errors'
import { ResponseBodyError } from 'oauth4webapi'
import type { Application } from './application.ts'

/** Failed request to a token endpoint, for its description. */
export interface TokenRequest {
  grant: string
  url: string
  scopes: readonly string[]
  /** Secrets of the token request to mask: some endpoints repeat their input. */
  secrets: readonly string[]
  /** Delay that the response of the token endpoint requests, in milliseconds. */
  retryAfterMs?: number | undefined
}

/** Rejection by a token endpoint, or a missing response. */
export interface TokenFailure {
  error: AppError
  /** True if the OAuth2 application is misconfigured; false if the grant is at fault. */
  ofApplication: boolean
}

/** Temporary error codes of token endpoints in use; RFC 6749 §5.2 defines no temporary code. */
const temporaryCodes = new Set([
  'temporarily_unavailable',
  'server_error',
  'slow_down',
  'internal_failure',
  'rate_limit_exceeded',
])
/**
 * Temporary error numbers of Microsoft's token endpoint: request loop of a client, and transient
 * service error.
 */
const temporaryNumbers = [50196, 90033]
/** Error codes of token endpoints that an operator has to fix. */
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
 * Error numbers of Microsoft that an operator has to fix, with the code `invalid_request`: tenant
 * or redirect URL unknown, scopes of two resources, TLS too old.
 */
const applicationNumbers = [90002, 50011, 500113, 28000, 1002016]
/**
 * Error texts of Google that an operator has to fix, with the code `invalid_grant` that also stands
 * for an unknown mailbox: key or clock wrong, service account switched off.
 */
const serviceAccountTexts = /^(?:Invalid JWT|Robot)\b/i

/** Classifies a failed token request: temporary or permanent, fault of application or grant. */
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

/** True if an error response of Microsoft has one of the AADSTS numbers. */
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
 * Rejections that have been seen for valid refresh tokens: Google's rejection without a reason, and
 * Microsoft's rejection for personal accounts. The error text distinguishes these rejections from
 * other rejections with the code `invalid_grant`.
 */
const unconfirmedTexts =
  /^(?:Bad Request$|AADSTS70000: The provided value for the input parameter 'refresh_token')/

/** Delay until an unconfirmed rejection of a refresh token counts, in seconds. */
const confirmationSeconds = 60

/**
 * Error of a failed token renewal, given the failure of the renewal before. An unconfirmed
 * rejection is temporary until it is repeated.
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

/** Reported members of a token endpoint's error, each up to `maxText` characters. */
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

/** Masks secrets in a member of an error response and cuts its text. */
function sanitize(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) return value.slice(0, 10).map(Number)
  if (typeof value !== 'string') return undefined
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '******'), value)
    .slice(0, maxText)
}

/** Converts an error of a token renewal for `lastError` columns. */
export function lastErrorOf({ message, code, extras }: AppError): LastError {
  const tokenRequest = extras.info?.['tokenRequest'] as TokenRequestInfo | undefined
  return { response: message, ...defined({ serverResponseCode: code, tokenRequest }) }
}

/** Restores the error of a `lastError` column, for callers before the next token renewal. */
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
