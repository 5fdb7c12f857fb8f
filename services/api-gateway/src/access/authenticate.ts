import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { AdminSession } from '../store/access/admin-sessions.ts'
import type { Token } from '../store/access/tokens.ts'

/** Caller of an API request. `token` is null if the request needed and sent no access token. */
export interface Caller {
  readonly token: Token | null
  /**
   * Person at the administration pages who sends the API request. `token` then has the rights of an
   * operator, and the role of the person has been checked.
   */
  readonly person?: AdminSession
  /** IP address of the client that sent the API request. */
  readonly address: string
}

/** Prefix of the credentials with which admin-ui calls the API for a person. */
const sessionPrefix = 'sess_'

/** True for the credential of a session at the administration pages. Such values are no tokens. */
export function isSessionCredential(value: string): boolean {
  return value.startsWith(sessionPrefix)
}

/** Maximum length of an access token. Longer tokens are cut, so that they match no stored token. */
const maxLength = 512

/**
 * Reads the access token of a request from `Authorization: Bearer …` or `access_token` (RFC 6750
 * §2.1, §2.3).
 */
export function readBearerToken(
  headers: IncomingHttpHeaders,
  accessToken: unknown,
): string | undefined {
  const [, bearer] =
    /^bearer +(\S+) *$/i.exec(headers.authorization?.slice(0, maxLength) ?? '') ?? []
  const value = bearer ?? accessToken
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined
}

/**
 * Error for an API request without credentials. The reason is logged, but not sent to the client.
 */
export function noToken(reason: string): AppError {
  return new AppError('unauthorized', 'Unauthorized', { reason })
}

/** Error for unknown and expired access tokens, which clients cannot distinguish. */
export function badToken(reason: 'unknown token' | 'expired token'): AppError {
  return new AppError('unauthorized', 'Bad token', {
    reason,
    extras: { attributes: { error: 'Bad token' } },
  })
}

/**
 * True if a web page of another origin sends the request. If the API needs no access token, any
 * page in a browser inside the network could otherwise call the API: a POST without a Content-Type
 * needs no preflight.
 */
export function isCrossOrigin({
  origin,
  host,
  'sec-fetch-site': site,
}: IncomingHttpHeaders): boolean {
  if (origin === undefined || site === 'same-origin') return false
  return URL.parse(origin)?.host !== host?.toLowerCase()
}

export interface KnownHostsOptions {
  settings: Pick<SettingsCache, 'get'>
  /**
   * Host names of this server from the environment, in lower case. Requests may use them in the
   * Host header, in addition to `localhost` and the host of `serviceUrl`.
   */
  allowedHosts: readonly string[]
}

/** True if the Host header of a request names this server. */
export type IsKnownHost = (host: string | undefined) => Promise<boolean>

/**
 * Creates a check of the Host header that stops DNS rebinding: a web page whose host name resolves
 * to this server is not cross-origin, but sends that host name. IP addresses are accepted, because
 * they are not resolved, and so are `localhost` and the host of `serviceUrl`.
 */
export function createKnownHosts({ settings, allowedHosts }: KnownHostsOptions): IsKnownHost {
  const fixed = new Set(['localhost', ...allowedHosts])
  return async (host) => {
    const name = hostNameOf(host ?? '')
    if (name === undefined) return false
    if (fixed.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true
    const { serviceUrl } = await settings.get()
    return serviceUrl !== undefined && hostNameOf(URL.parse(serviceUrl)?.host ?? '') === name
  }
}

/**
 * Host name of a Host header, without the port and in lower case. Undefined for any text but `name`
 * or `name:port`.
 */
export function hostNameOf(host: string): string | undefined {
  return /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined
}
