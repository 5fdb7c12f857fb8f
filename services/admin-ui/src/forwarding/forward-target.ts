import type { Operation } from '@posthorn/contracts/define'
import { allOperations } from '@posthorn/contracts/operations'
import { AppError } from '@posthorn/errors'

/** Path of admin-ui below which calls are forwarded to api-gateway. */
export const callPrefix = '/admin/call'

/** Operation of api-gateway that a request to admin-ui calls. */
export interface ForwardTarget {
  operation: Operation
  /** Path of the call at api-gateway, as the client has encoded it. */
  path: string
  /** Query of the forwarded call with its question mark, or an empty text. */
  search: string
  /** Path of the forwarded call for the audit log, in which tokens are replaced. */
  auditPath: string
  account: string | undefined
}

interface OperationPattern {
  operation: Operation
  segments: readonly string[]
}

const patterns: readonly OperationPattern[] = allOperations.map((operation) => ({
  operation,
  segments: operation.path.split('/'),
}))

/**
 * Finds the operation that a request below `/admin/call` calls. Only operations of the contracts
 * are found, so that no other path of api-gateway can be reached.
 *
 * @param url target of the request as received, not decoded
 * @throws AppError `not-found` for any other path, `invalid` for an access token in the query;
 *   URIError for a path that is not properly encoded
 */
export function findForwardTarget(method: string | undefined, url: string): ForwardTarget {
  const { path, search } = splitTarget(url)
  const segments = path.split('/')
  const called = method === 'HEAD' ? 'get' : method?.toLowerCase()
  const pattern = patterns.find(
    ({ operation, segments: expected }) =>
      operation.method === called && matchesPattern(expected, segments),
  )
  if (!pattern) throw notForwarded()
  assertNoToken(search)
  const accountAt = pattern.segments.indexOf(':account')
  const account = accountAt < 0 ? undefined : decodeURIComponent(segments[accountAt] ?? '')
  return { operation: pattern.operation, path, search, auditPath: mask(pattern, segments), account }
}

/** Splits the URL of a forwarded call into path and query, without the prefix `/admin/call`. */
function splitTarget(url: string): { path: string; search: string } {
  // A request URL in absolute form (RFC 9112 §3.2.2) does not start with the prefix of forwarded
  // calls.
  if (!url.startsWith(`${callPrefix}/`) || url.includes('#')) throw notForwarded()
  const target = url.slice(callPrefix.length)
  const queryAt = target.indexOf('?')
  const path = queryAt < 0 ? target : target.slice(0, queryAt)
  const search = queryAt < 0 ? '' : target.slice(queryAt)
  // Proxies before api-gateway may decode slashes and backslashes. The check for relative segments
  // therefore also covers segments that appear only then.
  const segments = path
    .slice(1)
    .split('/')
    .flatMap((segment) => decodeURIComponent(segment).split(/[/\\]/))
  if (path.includes('\\') || segments.some(isRelative)) throw notForwarded()
  return { path, search }
}

/**
 * True for a path segment that proxies could remove, or use to leave the path. This is an empty or
 * relative segment, also before a query, fragment or parameter, and also if it was encoded twice.
 * URL parsers ignore control characters.
 */
function isRelative(segment: string): boolean {
  return /^(?:\.|%2e){0,2}(?:$|[?#;])/i.test(segment) || /\p{Cc}/u.test(segment)
}

function matchesPattern(expected: readonly string[], segments: readonly string[]): boolean {
  return (
    expected.length === segments.length &&
    expected.every((part, index) => part.startsWith(':') || part === segments[index])
  )
}

/** Replaces access tokens in a path, such as the deletion of a token. */
function mask({ segments: expected }: OperationPattern, segments: readonly string[]): string {
  return segments
    .map((segment, index) => (expected[index] === ':token' ? '{token}' : segment))
    .join('/')
}

/**
 * Rejects an access token in the query (RFC 6750 §2.3), with which a call would use other rights
 * than those of the person.
 */
function assertNoToken(search: string): void {
  for (const name of new URLSearchParams(search).keys())
    if (/^access_token(?:$|\[)/i.test(name.trim()))
      throw new AppError('invalid', 'access_token is not allowed, calls use the session')
}

function notForwarded(): AppError {
  return new AppError('not-found', 'Not Found')
}
