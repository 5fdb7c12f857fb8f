import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'

/**
 * Name of the cookie that binds an OAuth2 sign-in to a browser. The prefix `__Host-` prevents
 * subdomains and plain HTTP from setting the cookie (RFC 6265bis §4.1.3.2). Browsers accept the
 * cookie from HTTPS only.
 */
const secureName = '__Host-posthorn-sign-in'
/** Name of the sign-in cookie for a redirect URI with plain HTTP, such as a local installation. */
const plainName = 'posthorn-sign-in'
/** Lifetime of the sign-in cookie, which equals the lifetime of an OAuth2 state in a browser. */
const maxAgeSeconds = 3_600

/**
 * Sets the sign-in cookie and returns the identity of the browser. A browser keeps its cookie
 * value, so that sign-ins in several tabs work.
 */
export function identifyBrowser(
  { request, response }: { request: Request; response: Response },
  redirectUri: URL,
): string {
  const isSecure = redirectUri.protocol === 'https:'
  const name = isSecure ? secureName : plainName
  const value = valuesOf(request, name)[0] ?? randomBytes(32).toString('base64url')
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`
  response.append('Set-Cookie', `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`)
  return `${name}=${value}`
}

/**
 * Browser identities in the sign-in cookies of a request. An identity includes the cookie name,
 * because a cookie without the prefix `__Host-` proves less.
 */
export function browserIdentities(request: Request): string[] {
  return [secureName, plainName].flatMap((name) =>
    valuesOf(request, name).map((value) => `${name}=${value}`),
  )
}

function valuesOf(request: Request, name: string): string[] {
  const pairs = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => /^[\w-]{43}$/.test(value))
    .slice(0, maxValues)
}

/**
 * Maximum cookies with one name that are read per request. Cookies of parent domains may have the
 * same name.
 */
const maxValues = 4
