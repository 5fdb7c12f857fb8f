import { parseObject } from '../parse-object.ts'

/** What an id token says of whom it is about. */
export interface Identity {
  email?: string
  name?: string
}

/**
 * Reads an id token as it came from the token endpoint itself: TLS vouches for it in place of the signature (OpenID Connect Core 1.0
 * §3.1.3.7, 6), and it was made for us. Undefined where it is none of ours.
 */
export function readIdToken(token: unknown, clientId: string): Identity | undefined {
  if (typeof token !== 'string') return undefined
  const claims = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const audience = claims?.['aud']
  const isOurs = Array.isArray(audience) ? audience.includes(clientId) : audience === clientId
  return claims && isOurs ? identityOf(claims) : undefined
}

/** Microsoft has the login name in `preferred_username`, and no `email` where the directory knows none. */
export function identityOf(claims: Record<string, unknown>): Identity {
  const email = [claims['email'], claims['preferred_username'], claims['upn']].find(
    (value): value is string => typeof value === 'string' && value.includes('@') && isShort(value),
  )
  const name = claims['name']
  return {
    ...(email === undefined ? {} : { email }),
    ...(typeof name === 'string' && name !== '' && isShort(name) ? { name } : {}),
  }
}

function isShort(text: string): boolean {
  return text.length <= 256 && !/[\0\r\n]/.test(text)
}
