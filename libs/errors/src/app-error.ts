import type { ErrorCode } from './codes.ts'
import { UnavailableError } from './unavailable-error.ts'

/**
 * Kind of an error, which decides the HTTP status and whether a retry makes sense. `rejected`: a
 * remote server rejected the request (SMTP 550, IMAP NO), permanent. `unreachable`: a remote server
 * could not be reached, temporary. `provider`: a mail API responded with an HTTP `status`, which
 * API clients get unchanged. `gone`: a link was used or has expired, permanent. `stale`: another
 * process owns the work now, so this process must stop without writing.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'gone'
  | 'too-large'
  | 'unprocessable'
  | 'rate-limited'
  | 'internal'
  | 'rejected'
  | 'provider'
  | 'unreachable'
  | 'unavailable'
  | 'timeout'
  | 'stale'

/** Additional members of an API error body, named as in the interface spec. */
export interface ErrorExtras {
  fields?: { message: string; key: string; path: string }[]
  state?: string
  ttl?: number
  requestedScope?: string
  info?: Record<string, unknown>
  details?: unknown
  attributes?: Record<string, unknown>
  existingAccount?: string
  requiredPermission?: { action: string; group: string }
  requiredRole?: string
  remoteAddress?: string
}

interface AppErrorOptions extends ErrorOptions {
  code?: ErrorCode | undefined
  extras?: ErrorExtras | undefined
  /** HTTP status of a mail provider's response. Required for the kind `provider`. */
  status?: number | undefined
  /**
   * Reason of an AppError as constant text, which is only logged. An example is the reason why an
   * access token was refused.
   */
  reason?: string | undefined
}

/**
 * Error with a kind that decides the HTTP status. API clients may see `message`, `code` and
 * `extras`. `cause` is only logged.
 */
export class AppError extends Error {
  override name = 'AppError'
  readonly kind: ErrorKind
  readonly code: ErrorCode | undefined
  readonly extras: ErrorExtras
  /**
   * HTTP status of a mail provider's response. Absent if the error is not the response of a mail
   * provider.
   */
  readonly status: number | undefined
  /** Reason of an AppError, which is only logged. The reason is not sent to other processes. */
  readonly reason: string | undefined

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions = {}) {
    super(message, options)
    this.kind = kind
    this.code = options.code
    this.extras = options.extras ?? {}
    this.status = options.status
    this.reason = options.reason
  }
}

const permanentKinds = new Set<ErrorKind>([
  'invalid',
  'unauthorized',
  'forbidden',
  'not-found',
  'gone',
  'too-large',
  'unprocessable',
  'rejected',
  'stale',
])

/**
 * True if a retry after an error is pointless. Errors that are not an AppError count as temporary.
 * HTTP status 429 and 5xx of a mail provider are temporary, too.
 */
export function isPermanent(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { kind, status = 500 } = error
  return kind === 'provider' ? status < 500 && status !== 429 : permanentKinds.has(kind)
}

/**
 * Converts an error to an AppError. Returns an AppError unchanged. Wraps an UnavailableError as
 * `unavailable`, any other error as `internal`.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof UnavailableError)
    return new AppError('unavailable', 'The service is temporarily unavailable, retry later', {
      cause: error,
    })
  return new AppError('internal', 'Internal Server Error', { cause: error })
}

/** Returns the message of a thrown value, which may be any value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
