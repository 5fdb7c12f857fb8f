import type { IncomingHttpHeaders } from 'node:http'

/** Maximum length of a credential; longer ones are invalid and not hashed. */
const maxLength = 512

/** Reads the token from `Authorization: Bearer …` or `access_token` (RFC 6750 §2.1, §2.3). */
export function readCredential(
  headers: IncomingHttpHeaders,
  accessToken: unknown,
): string | undefined {
  const [, bearer] =
    /^bearer +(\S+) *$/i.exec(headers.authorization?.slice(0, maxLength) ?? '') ?? []
  const value = bearer ?? accessToken
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined
}
