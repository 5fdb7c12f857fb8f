import { messageOf, UnavailableError } from '@posthorn/errors'
import { DatabaseError } from 'pg'

/**
 * Pattern of SQLSTATEs of temporary failures: 08 connection (including all errors of pgbouncer,
 * such as `query_wait_timeout`), 25006 read-only server, 25P03 timeout of an idle transaction, 40
 * conflicts, 53 insufficient resources, 55P03 lock not available, 57 operator intervention,
 * shutdown and timeouts.
 */
const temporaryStates = /^(?:08...|25006|25P03|53...|55P03|57...|40001|40P01)$/
/** Pattern of socket error codes that mean Postgres is unavailable. */
const socketCodes =
  /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|NOTFOUND|AI_AGAIN)$/
/** Messages of those errors of node-postgres 8 and its pool that have no error code. */
const messages =
  /^(?:Connection terminated|timeout e(?:xpired|xceeded when trying to connect)|Query read timeout|Client (?:has encountered|was closed)|Cannot use a pool after calling end)/

/**
 * Wraps an error that means Postgres cannot serve the statement now. The original error becomes the
 * cause. Returns any other error unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  return isUnavailable(error) ? toUnavailable(error) : error
}

/**
 * Wraps any error that occurred while a connection was opened, because Postgres serves no statement
 * without a connection. Examples are a rejected password while it is being changed, and a failed
 * TLS handshake.
 */
export function toUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error
  return new UnavailableError(`Postgres is unavailable: ${reasonOf(error)}`, { cause: error })
}

/**
 * True for an error that Postgres itself has sent. Errors of class 08 do not count, because
 * pgbouncer sends them, for example for `query_wait_timeout` and failed connections to Postgres.
 */
export function isResponse(error: unknown): boolean {
  return error instanceof DatabaseError && !error.code?.startsWith('08')
}

function isUnavailable(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  if (error instanceof DatabaseError) return temporaryStates.test(code)
  return socketCodes.test(code) || messages.test(messageOf(error))
}

/** Returns the SQLSTATE of a Postgres error, or the code of a socket error. */
function codeOf(error: unknown): string | undefined {
  if (error === null || typeof error !== 'object' || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/**
 * Text of a Postgres error for the operator. If the error has no text, as after failed connections
 * to several addresses, its code is used.
 */
function reasonOf(error: unknown): string {
  return messageOf(error) || (codeOf(error) ?? 'unknown reason')
}
