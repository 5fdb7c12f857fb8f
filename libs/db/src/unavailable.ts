import { messageOf, UnavailableError } from '@posthorn/errors'
import { DatabaseError } from 'pg'

/**
 * SQLSTATE codes of temporary failures: 08 connection (also all of pgbouncer, such as
 * `query_wait_timeout`), 25006 read-only server, 25P03 idle transaction, 40 conflicts, 53 out of
 * resources, 55P03 lock, 57 operator intervention, shutdown and timeouts.
 */
const temporaryStates = /^(?:08...|25006|25P03|53...|55P03|57...|40001|40P01)$/
/** Codes of socket errors that mean Postgres is unavailable. */
const socketCodes =
  /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|NOTFOUND|AI_AGAIN)$/
/** Messages of the errors of node-postgres 8 and its pool that have no code. */
const messages =
  /^(?:Connection terminated|timeout e(?:xpired|xceeded when trying to connect)|Query read timeout|Client (?:has encountered|was closed)|Cannot use a pool after calling end)/

/**
 * Wraps an error that means Postgres cannot serve the statement now, with the original error as the
 * cause. Returns any other error unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  return isUnavailable(error) ? toUnavailable(error) : error
}

/**
 * Wraps any error of opening a connection: without a connection, Postgres serves no statement. Such
 * errors include a rejected password during its change and a failed TLS handshake.
 */
export function toUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error
  return new UnavailableError(`Postgres is unavailable: ${reasonOf(error)}`, { cause: error })
}

/**
 * True for an error that Postgres has sent. Errors of class 08 come from pgbouncer, such as
 * `query_wait_timeout` and failed connections to Postgres.
 */
export function isResponse(error: unknown): boolean {
  return error instanceof DatabaseError && !error.code?.startsWith('08')
}

function isUnavailable(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  if (error instanceof DatabaseError) return temporaryStates.test(code)
  return socketCodes.test(code) || messages.test(messageOf(error))
}

/** SQLSTATE of a Postgres error, or code of a socket error. */
function codeOf(error: unknown): string | undefined {
  if (error === null || typeof error !== 'object' || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/**
 * Text of an error for the operator. The error of a connect to several addresses has no text, only
 * a code.
 */
function reasonOf(error: unknown): string {
  return messageOf(error) || (codeOf(error) ?? 'unknown reason')
}
