import type { LastError, TokenRequestInfo } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import { ResponseBodyError } from 'oauth4webapi'
import type { Application } from './application.ts'

/** What was asked of a token endpoint. */
export interface TokenQuestion {
  grant: string
  url: string
  scopes: readonly string[]
  /** Must not be told: some endpoints repeat what they were sent. */
  secrets: readonly string[]
}

/** A token endpoint's no, or its silence. */
export interface TokenFailure {
  error: AppError
  /** The application is at fault, not whose grant it is. */
  ofApplication: boolean
}

/** RFC 6749 §5.2 has no code for "not now"; these are in use. */
const passing = new Set([
  'temporarily_unavailable',
  'server_error',
  'slow_down',
  'internal_failure',
  'rate_limit_exceeded',
])
/** Microsoft: a client that asks in a loop, and a passing error of the service. */
const passingNumbers = [50196, 90033]
/** What an operator has to mend. */
const ofOperator = new Set([
  'invalid_client',
  'unauthorized_client',
  'redirect_uri_mismatch',
  'invalid_scope',
  'unsupported_grant_type',
])

/** Reads what an OAuth client threw: whether trying again makes sense, whose fault it is, and what may be told of it. */
export function failureOfToken(
  error: unknown,
  app: Application,
  question: TokenQuestion,
): TokenFailure {
  if (!(error instanceof ResponseBodyError)) return { error: away(error), ofApplication: false }
  if (isPassing(error)) return { error: away(error), ofApplication: false }
  const ofApplication = ofOperator.has(error.error)
  const tokenRequest = describe(error, app, { ...question, ofApplication })
  const { error_description: description = error.error } = tokenRequest.response as Told
  const code = question.grant === 'refresh_token' ? 'OauthRenewError' : 'TokenGenerationError'
  return {
    error: new AppError('rejected', description, { code, extras: { info: { tokenRequest } } }),
    ofApplication,
  }
}

interface Told {
  error_description?: string
}

function isPassing({ status, error, cause }: ResponseBodyError): boolean {
  if (status >= 500 || status === 429 || passing.has(error)) return true
  const numbers = cause['error_codes']
  return Array.isArray(numbers) && numbers.some((one) => passingNumbers.includes(Number(one)))
}

/** Interface spec, "Authentication server" 6. */
export const unreachableCode = 'ETokenRefresh'

function away(error: unknown): AppError {
  return new AppError('unreachable', 'The token endpoint could not be used', {
    code: unreachableCode,
    cause: new Error(messageOf(error)),
  })
}

/** What of an answer is passed on, each so much. */
const told = [
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
  { grant, url, scopes, secrets, ofApplication }: TokenQuestion & { ofApplication: boolean },
): TokenRequestInfo {
  const response = Object.fromEntries(
    told.flatMap((key) => (cause[key] === undefined ? [] : [[key, tellable(cause[key], secrets)]])),
  )
  const { authority, serviceClient, serviceClientEmail } = config
  return {
    url,
    method: 'post',
    grant,
    provider,
    status,
    code: error.slice(0, 256),
    ...(provider.endsWith('Service') ? {} : { clientId }),
    ...(authority === undefined ? {} : { authority }),
    ...(serviceClient === undefined ? {} : { serviceClient }),
    ...(serviceClientEmail === undefined ? {} : { serviceClientEmail }),
    ...(ofApplication ? { flag: { message: flagOf(error, cause), code: error } } : {}),
    ...(ofApplication ? {} : { userFlag: { message: 'The owner has to log in again' } }),
    scopes: [...scopes],
    response,
  }
}

function flagOf(error: string, { error_codes: numbers }: Record<string, unknown>): string {
  if (Array.isArray(numbers) && numbers.includes(7000222)) return 'The client secret has expired'
  if (error === 'invalid_client') return 'The client id or its secret is wrong'
  if (error === 'redirect_uri_mismatch') return 'The redirect URL is not registered at the provider'
  return 'The provider does not let this application do what it asks for'
}

function tellable(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) return value.slice(0, 10).map(Number)
  if (typeof value !== 'string') return undefined
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '******'), value)
    .slice(0, maxText)
}

/** The same for `lastError` columns. */
export function lastErrorOf({ message, code, extras }: AppError): LastError {
  const tokenRequest = extras.info?.['tokenRequest'] as TokenRequestInfo | undefined
  return {
    response: message,
    ...(code === undefined ? {} : { serverResponseCode: code }),
    ...(tokenRequest === undefined ? {} : { tokenRequest }),
  }
}

/** The other way round: the failure once more, for who asks before there is another try. */
export function errorOf({ response = '', serverResponseCode, tokenRequest }: LastError): AppError {
  return new AppError(
    serverResponseCode === unreachableCode ? 'unreachable' : 'rejected',
    response,
    {
      ...(serverResponseCode === undefined ? {} : { code: serverResponseCode }),
      ...(tokenRequest === undefined ? {} : { extras: { info: { tokenRequest } } }),
    },
  )
}
