import { AppError, messageOf } from '@posthorn/errors'

/** Error codes of sockets, and SQLSTATE classes and codes, that say that Postgres cannot be used now. */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** 08 connection, 25006 read-only (a standby), 53 out of resources, 55P03 lock, 57 operator's intervention and timeouts, 40 conflicts. */
const sqlStates = /^(?:08...|25006|25P03|53...|55P03|57...|40001|40P01)$/
/** node-postgres gives these no code. */
const messages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (?:has encountered|was closed))/

/** The one place where Postgres being away becomes an answer: 503 instead of a 500. Anything else is passed through. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof AppError || !isAway(error)) return error
  const message = 'The service cannot answer right now; retry shortly'
  return new AppError('unavailable', message, { cause: error })
}

function isAway(error: unknown): boolean {
  const code = sqlState(error) ?? ''
  return socketCodes.has(code) || sqlStates.test(code) || messages.test(messageOf(error))
}

/** The SQLSTATE of a Postgres error, or the code of a socket's. */
export function sqlState(error: unknown): string | undefined {
  if (error === null || typeof error !== 'object' || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export const foreignKeyViolation = '23503'
