import { UnavailableError } from '@posthorn/errors'
import { DatabaseError } from 'pg'

/**
 * Returns the SQLSTATE of a Postgres error, also of an error that means Postgres is unavailable.
 * Undefined for any error of another origin.
 */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof UnavailableError) return sqlState(error.cause)
  return error instanceof DatabaseError ? error.code : undefined
}

/** True if Postgres rejected the data itself: SQLSTATE classes 22 (data) and 23 (constraint). */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '')
}
