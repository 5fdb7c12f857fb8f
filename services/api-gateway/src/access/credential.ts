import type { IncomingHttpHeaders } from 'node:http'

/** Longer ones exist nowhere: not worth hashing. */
const maxLength = 512

/** The token that a request brings: `Authorization: Bearer …`, else the query parameter `access_token`. RFC 6750 §2.1, §2.3. */
export function readCredential(
  headers: IncomingHttpHeaders,
  accessToken: unknown,
): string | undefined {
  const [, bearer] =
    /^bearer +(\S+) *$/i.exec(headers.authorization?.slice(0, maxLength) ?? '') ?? []
  const value = bearer ?? accessToken
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined
}
