import { UnavailableError } from '@posthorn/errors'
import { DatabaseError } from 'pg'

/**
 * Returns the SQLSTATE of a Postgres error, including an UnavailableError that was caused by a
 * Postgres error. Undefined for all other errors.
 */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof UnavailableError) return sqlState(error.cause)
  return error instanceof DatabaseError ? error.code : undefined
}

/**
 * True if Postgres rejected the data of a statement: SQLSTATE classes 22 (data) and 23
 * (constraint).
 */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '')
}
