import { AppError, messageOf } from '@posthorn/errors'

/** Socket error codes that mean Postgres is unavailable. */
const socketCodes =
  /^E(?:CONNREFUSED|CONNRESET|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
/**
 * SQLSTATE codes of temporary failures: 08 connection, 25006 read-only standby, 53 out of
 * resources, 55P03 lock, 57 operator intervention and timeouts, 40 conflicts.
 */
const sqlStates = /^(?:08...|25006|25P03|53...|55P03|57...|40001|40P01)$/
/** Errors of node-postgres without a code. */
const messages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (?:has encountered|was closed))/

/** Maps errors of an unavailable Postgres to a 503. Returns all other errors unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error
  const message = 'The service is temporarily unavailable, retry later'
  return new AppError('unavailable', message, { cause: error })
}

function isUnavailable(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return socketCodes.test(code) || sqlStates.test(code) || messages.test(messageOf(error))
}

/** SQLSTATE of a Postgres error, or code of a socket error. */
function codeOf(error: unknown): string | undefined {
  if (error === null || typeof error !== 'object' || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export const foreignKeyViolation = '23503'
