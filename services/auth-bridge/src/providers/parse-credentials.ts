import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { parseObject } from '../parse-object.ts'

/**
 * Responses of the authentication server are cached until this long before they expire, so that the
 * login still succeeds.
 */
const marginMs = 60_000
/**
 * Maximum time for which an authentication server's response is cached. Limits the delay until a
 * token revoked by its issuer is dropped.
 */
const maxCacheMs = 5 * 60_000
/** Cache time of an authentication server's response without expiry: one burst of logins. */
const burstMs = 5_000

export interface CredentialsResponse {
  credentials: Credentials
  /** End of the time for which the credentials are cached, in epoch milliseconds. */
  expiresAt: number
}

/**
 * Parses the response of the authentication server: `{user, accessToken}` or `{user, pass}` with an
 * optional `expires` (ISO date or seconds since 1970). Undefined for any other text. Line breaks
 * and NUL are rejected, because the values become part of IMAP and SMTP commands.
 */
export function parseCredentials(text: string, now: number): CredentialsResponse | undefined {
  const body = parseObject(text)
  if (!body) return undefined
  const user = oneLine(body['user'], 1_024)
  const accessToken = oneLine(body['accessToken'], 16_384)
  const pass = oneLine(body['pass'], 4_096)
  if (user === undefined) return undefined
  const expiresAt = cacheExpiry(body['expires'], now)
  if (accessToken !== undefined) return { credentials: { user, accessToken }, expiresAt }
  return pass === undefined ? undefined : { credentials: { user, pass }, expiresAt }
}

function oneLine(value: unknown, maxLength: number): string | undefined {
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= maxLength &&
    !/[\0\r\n]/.test(value)
    ? value
    : undefined
}

function cacheExpiry(expires: unknown, now: number): number {
  const end =
    typeof expires === 'number'
      ? expires * 1_000
      : typeof expires === 'string'
        ? Date.parse(expires)
        : NaN
  return Number.isFinite(end) ? Math.min(end - marginMs, now + maxCacheMs) : now + burstMs
}
