import { defined, type LastError, type TokenRequestInfo } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import { ResponseBodyError } from 'oauth4webapi'
import type { Application } from './application.ts'

/** Failed request to a token endpoint, for its description. */
export interface TokenRequest {
  grant: string
  url: string
  scopes: readonly string[]
  /** Values to mask: some endpoints repeat their input. */
  secrets: readonly string[]
}

/** Rejection by a token endpoint, or a missing response. */
export interface TokenFailure {
  error: AppError
  /** True if the application is misconfigured; false if the grant is at fault. */
  ofApplication: boolean
}

/** Temporary error codes in use; RFC 6749 §5.2 defines none. */
const temporaryCodes = new Set([
  'temporarily_unavailable',
  'server_error',
  'slow_down',
  'internal_failure',
  'rate_limit_exceeded',
])
/** Microsoft: request loop of a client, and transient service error. */
const temporaryNumbers = [50196, 90033]
/** Codes that an operator has to fix. */
const applicationCodes = new Set([
  'invalid_client',
  'unauthorized_client',
  'redirect_uri_mismatch',
  'invalid_scope',
  'unsupported_grant_type',
])

/** Classifies an error of the OAuth client: temporary or permanent, and whose fault it is. */
export function failureOfToken(
  error: unknown,
  app: Application,
  request: TokenRequest,
): TokenFailure {
  if (!(error instanceof ResponseBodyError) || isTemporary(error))
    return { error: unreachable(error), ofApplication: false }
  const ofApplication = applicationCodes.has(error.error)
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
  const numbers = cause['error_codes']
  return Array.isArray(numbers) && numbers.some((code) => temporaryNumbers.includes(Number(code)))
}

/** Interface spec, "Authentication server" 6. */
export const unreachableCode = 'ETokenRefresh'

function unreachable(error: unknown): AppError {
  return new AppError('unreachable', 'The token endpoint could not be used', {
    code: unreachableCode,
    cause: new Error(messageOf(error)),
  })
}

/** Members of an error response that are reported, each up to `maxText` characters. */
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

function flagOf(error: string, { error_codes: numbers }: Record<string, unknown>): string {
  if (Array.isArray(numbers) && numbers.includes(7000222)) return 'The client secret has expired'
  if (error === 'invalid_client') return 'The client id or its secret is wrong'
  if (error === 'redirect_uri_mismatch') return 'The redirect URL is not registered at the provider'
  return 'The provider does not allow this application the requested access'
}

/** Masks secrets and cuts text. */
function sanitize(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) return value.slice(0, 10).map(Number)
  if (typeof value !== 'string') return undefined
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '******'), value)
    .slice(0, maxText)
}

/** Converts an error for `lastError` columns. */
export function lastErrorOf({ message, code, extras }: AppError): LastError {
  const tokenRequest = extras.info?.['tokenRequest'] as TokenRequestInfo | undefined
  return { response: message, ...defined({ serverResponseCode: code, tokenRequest }) }
}

/** Restores the error of a `lastError` column, for callers before the next attempt. */
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
