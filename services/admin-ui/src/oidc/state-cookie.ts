import type { Exchange } from '../identity/session-cookie.ts'

/** Minutes in which a person must sign in at the OpenID provider. */
export const stateMinutes = 10

const shape = /^[\w-]{43}$/

/**
 * Sets the cookie that binds a sign-in at the OpenID provider to one browser. The cookie is Lax,
 * because the provider sends the browser back from another site.
 */
export function setStateCookie({ response }: Exchange, value: string, isSecure: boolean): void {
  response.appendHeader(
    'Set-Cookie',
    `${nameOf(isSecure)}=${value}; Max-Age=${stateMinutes * 60}; ${attributesOf(isSecure)}`,
  )
}

export function clearStateCookie({ response }: Exchange, isSecure: boolean): void {
  const cookie = `${nameOf(isSecure)}=; Max-Age=0; ${attributesOf(isSecure)}`
  response.appendHeader('Set-Cookie', cookie)
}

export function readStateCookie({ request }: Exchange, isSecure: boolean): string | undefined {
  const prefix = `${nameOf(isSecure)}=`
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
  return value !== undefined && shape.test(value) ? value : undefined
}

function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-posthorn-oidc' : 'posthorn-oidc'
}

function attributesOf(isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}
