import { AppError, type ErrorKind } from '@posthorn/errors'

/**
 * Resolves to undefined if a request to a mail server or provider fails with an error of `kinds`.
 * Throws other errors.
 */
export async function undefinedIf<T>(
  work: Promise<T>,
  ...kinds: readonly ErrorKind[]
): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && kinds.includes(error.kind)) return undefined
    throw error
  }
}

/**
 * Awaits a read of a message part. Resolves to undefined if the mail server does not return a
 * message part that it listed, or if the message was expunged in the meantime. Throws other errors.
 */
export function undefinedIfMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  return undefinedIf(reading, 'not-found', 'rejected')
}
