import type { ErrorCode } from './codes.ts'

/**
 * Kind of a failure. It decides the HTTP status and whether a retry makes sense.
 *
 * `rejected`: a remote server refused (SMTP 550, IMAP NO), permanent. `unreachable`: a remote
 * server could not be reached, temporary. `stale`: another process owns the work, so stop without
 * writing.
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

/** Further members of the error body, named as in the interface spec. */
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

interface AppErrorOptions extends ErrorOptions {
  code?: ErrorCode | undefined
  extras?: ErrorExtras | undefined
}

/** Failure with a kind. Clients may see `message`, `code` and `extras`; `cause` is logged only. */
export class AppError extends Error {
  override name = 'AppError'
  readonly kind: ErrorKind
  readonly code: ErrorCode | undefined
  readonly extras: ErrorExtras

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions = {}) {
    super(message, options)
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

/** True if a retry is pointless. Errors other than AppError count as temporary. */
export function isPermanent(error: unknown): boolean {
  return error instanceof AppError && permanentKinds.has(error.kind)
}

/** Returns an AppError unchanged and wraps any other error as `internal`. */
export function toAppError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError('internal', 'Internal Server Error', { cause: error })
}

/** Returns the text of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
