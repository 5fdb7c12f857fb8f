import { AppError } from '@posthorn/errors'

/** Error for unknown and expired tokens, which clients cannot distinguish. */
export function badToken(): AppError {
  return new AppError('unauthorized', 'Bad token', {
    extras: { attributes: { error: 'Bad token' } },
  })
}
