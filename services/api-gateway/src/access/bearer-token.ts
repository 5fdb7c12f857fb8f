import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '@posthorn/errors'

/** Maximum length of a token; longer tokens are invalid and not hashed. */
const maxLength = 512

/** Reads the token from `Authorization: Bearer …` or `access_token` (RFC 6750 §2.1, §2.3). */
export function readBearerToken(
  headers: IncomingHttpHeaders,
  accessToken: unknown,
): string | undefined {
  const [, bearer] =
    /^bearer +(\S+) *$/i.exec(headers.authorization?.slice(0, maxLength) ?? '') ?? []
  const value = bearer ?? accessToken
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined
}

/** Error for a request without credentials. The reason is logged only. */
export function noToken(reason: string): AppError {
  return new AppError('unauthorized', 'Unauthorized', { reason })
}

/** Error for unknown and expired tokens, which clients cannot distinguish. */
export function badToken(reason: 'unknown token' | 'expired token'): AppError {
  return new AppError('unauthorized', 'Bad token', {
    reason,
    extras: { attributes: { error: 'Bad token' } },
  })
}
