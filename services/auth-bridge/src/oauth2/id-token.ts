import { parseObject } from '../parse-object.ts'

/** What an id token says of whom it is about, or a userinfo endpoint. */
export interface Identity {
  email?: string
  /** The provider has `email` from the person, and nobody has seen yet that it is theirs: it proves nothing. */
  unverified?: true
  name?: string
  /** Who it is to the provider. */
  subject?: string
}

type Claims = Record<string, unknown>

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

/** Whom claims are about (OpenID Connect Core 1.0 §5.1). Where nothing is said of whether an address was verified, it counts as such. */
export function identityOf(claims: Claims): Identity {
  const email = addressesIn(claims).find(
    (value): value is string => typeof value === 'string' && value.includes('@') && isShort(value),
  )
  const { name, sub } = claims
  return {
    ...(email === undefined ? {} : { email }),
    ...(isDenied(claims['email_verified']) ? { unverified: true } : {}),
    ...(typeof name === 'string' && name !== '' && isShort(name) ? { name } : {}),
    ...(typeof sub === 'string' ? { subject: sub } : {}),
  }
}

/**
 * The login name is in `preferred_username` where there is no `email`. In tokens of Microsoft (they name a tenant) it goes before: `email`
 * is whatever an administrator of that tenant has written there, while a login name lies in a domain that the tenant has shown to own.
 * `xms_edov`, which an application may ask for, says the same of `email`. Guests have `#EXT#` in their names.
 */
function addressesIn(claims: Claims): unknown[] {
  const { email, preferred_username: name, upn, tid } = claims
  if (typeof tid !== 'string') return [email, name, upn]
  const owned = /^(?:true|1)$/i.test(String(claims['xms_edov']))
  return [...(owned ? [email] : []), ...[name, upn].filter((value) => !/#/.test(String(value)))]
}

/** Some write it as text. */
function isDenied(verified: unknown): boolean {
  return verified === false || verified === 0 || /^(?:false|0|no)$/i.test(String(verified))
}

function isShort(text: string): boolean {
  return text.length <= 256 && !/[\0\r\n]/.test(text)
}
