import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { parseObject } from '../parse-object.ts'

/**
 * Minimum remaining life of credentials from the authentication server while their response is
 * cached, so that the login still succeeds.
 */
const marginMs = 60_000
/**
 * Maximum time for which a response of the authentication server is cached. A token that its issuer
 * revoked is used no longer than this.
 */
const maxCacheMs = 5 * 60_000
/**
 * Time for which a response of the authentication server is cached if it states no expiry. Serves
 * one burst of logins.
 */
const burstMs = 5_000

export interface CredentialsResponse {
  credentials: Credentials
  /**
   * Time until which the credentials from the authentication server are cached, in epoch
   * milliseconds.
   */
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
