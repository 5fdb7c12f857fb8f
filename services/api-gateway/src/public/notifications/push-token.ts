import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { isObject, parseJson } from './parse-graph.ts'

/** Service account whose signed Pub/Sub pushes are accepted. */
export interface PushSigner {
  /** OAuth2 applications of the Pub/Sub subscriptions whose pushes the service account signs. */
  readonly apps: readonly string[]
  /** Address of the service account that signs Pub/Sub pushes, in lower case. */
  readonly email: string
}

/** Claims that the token of a Pub/Sub push must have. */
export interface PushExpectation {
  /** URL of the route for Pub/Sub pushes, as configured in the push subscription. */
  readonly audience: string
  readonly signers: readonly PushSigner[]
  /**
   * Current time of this process in epoch milliseconds, with which the token of a Pub/Sub push is
   * checked.
   */
  readonly now: number
}

/** Token of a Pub/Sub push with the expected claims. Its signature is not verified yet. */
export interface PushToken {
  readonly apps: readonly string[]
  readonly keyId: string
  readonly signed: Buffer
  readonly signature: Buffer
}

/** Maximum `Authorization` header of a Pub/Sub push; Google's tokens have about 1 kB. */
const maxLength = 8_192
const issuers: ReadonlySet<unknown> = new Set([
  'accounts.google.com',
  'https://accounts.google.com',
])
/** Tolerated difference between the clocks of Google and of this service. */
const clockSkewSeconds = 300
/** Maximum lifetime of the token of a Pub/Sub push. Google's tokens are valid for 1 h. */
const maxLifetimeSeconds = 3_600

/**
 * Reads the header `Authorization` of a Pub/Sub push, an OpenID Connect token ("Authentication for
 * push subscriptions"). Checks the claims before the signature, so that forged tokens cause no key
 * request and no cryptography. Undefined if any claim is not as expected.
 */
export function readPushToken(
  authorization: string,
  { audience, signers, now }: PushExpectation,
): PushToken | undefined {
  const parsed = parseToken(authorization)
  if (!parsed) return undefined
  const { keyId, claims, signed, signature } = parsed
  if (!issuers.has(claims['iss']) || claims['aud'] !== audience) return undefined
  if (claims['email_verified'] !== true || !isCurrent(claims, now / 1_000)) return undefined
  const email = String(claims['email']).toLowerCase()
  const signer = signers.find((each) => each.email === email)
  return signer && { apps: signer.apps, keyId, signed, signature }
}

type Claims = Readonly<Record<string, unknown>>

/**
 * Parses the RS256 token of a Pub/Sub push. Other algorithms are rejected, because the sender must
 * not choose the algorithm (RFC 7515 §4.1.1).
 */
function parseToken(
  authorization: string,
): (Omit<PushToken, 'apps'> & { claims: Claims }) | undefined {
  if (authorization.length > maxLength) return undefined
  const [, head = '', body = '', mark = ''] =
    /^bearer +([\w-]+)\.([\w-]+)\.([\w-]+) *$/i.exec(authorization) ?? []
  const header = decodePart(head)
  const claims = decodePart(body)
  const keyId = header?.['kid']
  if (!claims || header?.['alg'] !== 'RS256' || typeof keyId !== 'string') return undefined
  const signed = Buffer.from(`${head}.${body}`)
  return { keyId, claims, signed, signature: Buffer.from(mark, 'base64url') }
}

/**
 * True if the token of a Pub/Sub push is valid at `now`, by its claims `exp` and `iat` (RFC 7519
 * §4.1.4 and §4.1.6).
 */
function isCurrent({ exp, iat }: Claims, now: number): boolean {
  return (
    typeof exp === 'number' &&
    typeof iat === 'number' &&
    exp > now - clockSkewSeconds &&
    iat < now + clockSkewSeconds &&
    exp - iat <= maxLifetimeSeconds + clockSkewSeconds
  )
}

function decodePart(part: string): Claims | undefined {
  const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
  return isObject(value) ? value : undefined
}

/** True if the key signed the token of a Pub/Sub push (RS256, RFC 7518 §3.3). */
export function isSignedBy(key: KeyObject, { signed, signature }: PushToken): boolean {
  return verify('RSA-SHA256', signed, key, signature)
}

/** Maximum keys of a JSON Web Key Set; Google publishes two. */
const maxKeys = 20
/** Minimum size of an RSA key for RS256 (RFC 7518 §3.3). */
const minKeyBits = 2_048

/** Reads the RSA keys of a JSON Web Key Set (RFC 7517 §5), by id. Other keys are left out. */
export function readKeySet(text: string): Map<string, KeyObject> {
  const set = parseJson(text)
  const keys = isObject(set) && Array.isArray(set['keys']) ? (set['keys'] as unknown[]) : []
  const entries = keys.slice(0, maxKeys).flatMap((key): [string, KeyObject][] => {
    if (!isObject(key) || key['kty'] !== 'RSA' || typeof key['kid'] !== 'string') return []
    const parsed = parseKey(key)
    return parsed ? [[key['kid'], parsed]] : []
  })
  return new Map(entries)
}

function parseKey({ kty, n, e }: { readonly [name: string]: unknown }): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' })
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= minKeyBits ? key : undefined
  } catch {
    return undefined
  }
}
