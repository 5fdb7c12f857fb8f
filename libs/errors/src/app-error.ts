import type { ErrorCode } from './codes.ts'

/**
 * What went wrong, in few words. Each kind has one HTTP status and one answer to "does trying again make sense?".
 *
 * `rejected` is a remote server's refusal (SMTP 550, IMAP NO): permanent. `unreachable` is a remote server that could not be
 * asked: temporary. `stale` means that another process owns the work by now: stop, and write nothing.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'too-large'
  | 'unprocessable'
  | 'rate-limited'
  | 'internal'
  | 'rejected'
  | 'unreachable'
  | 'unavailable'
  | 'timeout'
  | 'stale'

/** Further members of the error body, exactly as the interface spec names them. */
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
  remoteAddress?: string
}

export interface AppErrorOptions extends ErrorOptions {
  code?: ErrorCode
  extras?: ErrorExtras
}

/** A failure with a meaning. `message`, `code` and `extras` may reach a client; `cause` only ever reaches the log. */
export class AppError extends Error {
  override name = 'AppError'
  readonly kind: ErrorKind
  readonly code: ErrorCode | undefined
  readonly extras: ErrorExtras

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.code = options.code
    this.extras = options.extras ?? {}
  }
}

const permanentKinds = new Set<ErrorKind>([
  'invalid',
  'unauthorized',
  'forbidden',
  'not-found',
  'too-large',
  'unprocessable',
  'rejected',
  'stale',
])

/** Whether trying again is pointless. An error that we did not foresee counts as temporary. */
export function isPermanent(error: unknown): boolean {
  return error instanceof AppError && permanentKinds.has(error.kind)
}

/** The same error when it already has a meaning, else an internal one that keeps the original as its cause. */
export function toAppError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError('internal', 'Internal Server Error', { cause: error })
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
