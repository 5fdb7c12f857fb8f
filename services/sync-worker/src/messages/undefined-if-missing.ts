import { AppError } from '@posthorn/errors'

/** A part that the server names and does not give, or a message that was expunged meanwhile, costs what was to be read and no more. */
export async function undefinedIfMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof AppError && (error.kind === 'not-found' || error.kind === 'rejected'))
      return undefined
    throw error
  }
}
