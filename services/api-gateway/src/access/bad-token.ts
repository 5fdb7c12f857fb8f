import { AppError } from '@posthorn/errors'

/** Unknown and expired are one answer. */
export function badToken(): AppError {
  return new AppError('unauthorized', 'Bad token', {
    extras: { attributes: { error: 'Bad token' } },
  })
}
