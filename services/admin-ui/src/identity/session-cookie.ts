import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLoopback } from '@posthorn/net/addresses'

/** HTTP request with the session cookie, and its response, which may change the session cookie. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Name of the session cookie. Browsers accept this name only with Secure, with path `/` and without
 * a domain (RFC 6265bis).
 */
const secureName = '__Host-posthorn-session'
/**
 * Name of the session cookie on plain-HTTP loopback, where some browsers refuse cookies with
 * Secure.
 */
const loopbackName = 'posthorn-session'

/**
 * Form of the session cookie: 32 bytes in base64url. A longer or shorter value is no session
 * cookie.
 */
const shape = /^[\w-]{43}$/

/** Reads the session cookie of a request. Undefined without a cookie of the right form. */
export function readSessionCookie(request: IncomingMessage): string | undefined {
  const name = cookieName(request)
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at < 0 || pair.slice(0, at).trim() !== name) continue
    const value = pair.slice(at + 1).trim()
    return shape.test(value) ? value : undefined
  }
  return undefined
}

/** Sets the session cookie. The cookie ends with the browser, and earlier with the session. */
export function setSessionCookie({ request, response }: Exchange, value: string): void {
  response.appendHeader('Set-Cookie', `${cookieName(request)}=${value}; ${attributes(request)}`)
}

/** Removes the session cookie from the browser. */
export function clearSessionCookie({ request, response }: Exchange): void {
  const cookie = `${cookieName(request)}=; Max-Age=0; ${attributes(request)}`
  response.appendHeader('Set-Cookie', cookie)
}

function cookieName(request: IncomingMessage): string {
  return isPlainLoopback(request) ? loopbackName : secureName
}

function attributes(request: IncomingMessage): string {
  const common = 'Path=/; HttpOnly; SameSite=Strict'
  return isPlainLoopback(request) ? common : `${common}; Secure`
}

/**
 * True if the browser reaches the administration pages by plain HTTP at its own machine. A TLS
 * proxy sends `X-Forwarded-Proto`. A forged header only results in a cookie with Secure.
 */
function isPlainLoopback({ headers, socket }: IncomingMessage): boolean {
  if ('encrypted' in socket || headers['x-forwarded-proto'] === 'https') return false
  const name = URL.parse(`http://${headers.host ?? ''}`)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return name === 'localhost' || isLoopback(name)
}
