import {
  constants,
  createHash,
  createPrivateKey,
  type KeyObject,
  randomUUID,
  sign,
  X509Certificate,
} from 'node:crypto'
import { AppError } from '@posthorn/errors'

/**
 * Lifetime of a service account's assertion. Google accepts at most 1 h; the difference allows for
 * a clock at Google that is a minute ahead.
 */
const serviceLifetimeSeconds = 3_540
/** Lifetime of an assertion that replaces a client secret. Microsoft advises at most 10 min. */
const clientLifetimeSeconds = 300

/** Claims of a signed JWT assertion of a service account. */
export interface AssertionClaims {
  iss: string
  sub: string
  scope: string
  aud: string
}

/** Adds issue time and expiry to the claims of a JWT assertion. `now` is in epoch milliseconds. */
export function withLifetime<T extends object>(
  claims: T,
  now: number,
  seconds = serviceLifetimeSeconds,
): T & { iat: number; exp: number } {
  const iat = Math.floor(now / 1_000)
  return { ...claims, iat, exp: iat + seconds }
}

/**
 * Creates a signed JWT assertion of a service account (RFC 7523 §2.1, RS256).
 *
 * @throws AppError `rejected` `TokenGenerationError` if the key is not a PEM key
 */
export function signAssertion(claims: AssertionClaims, pem: string, now: number): string {
  const text = toText({ alg: 'RS256', typ: 'JWT' }, withLifetime(claims, now))
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), readKey(pem)).toString('base64url')}`
}

/**
 * Creates a signed assertion that replaces a client secret (RFC 7523 §2.2, PS256). `pem` contains a
 * private key and its certificate. Microsoft identifies the key by the hash of the certificate.
 *
 * @throws AppError `rejected` `TokenGenerationError` if key or certificate is not valid
 */
export function signClientAssertion(
  { clientId, tokenUrl }: { clientId: string; tokenUrl: string },
  pem: string,
  now: number,
): string {
  const key = readKey(pem)
  const thumbprint = createHash('sha256').update(readCertificate(pem, key).raw).digest('base64url')
  const identity = { iss: clientId, sub: clientId, aud: tokenUrl, jti: randomUUID() }
  const claims = withLifetime(identity, now, clientLifetimeSeconds)
  const text = toText({ alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprint }, claims)
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const signature = sign('sha256', Buffer.from(text), { key, padding, saltLength: 32 })
  return `${text}.${signature.toString('base64url')}`
}

function toText(header: object, claims: object): string {
  return [header, claims].map((part) => base64url(JSON.stringify(part))).join('.')
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(blockOf(pem, /(?:[A-Z]+ )?PRIVATE KEY/))
  } catch (cause) {
    throw invalid('The service key of the application is not a valid PEM key', cause)
  }
}

function readCertificate(pem: string, key: KeyObject): X509Certificate {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(blockOf(pem, /CERTIFICATE/))
  } catch (cause) {
    throw invalid('The service key of the application has no valid certificate', cause)
  }
  if (certificate.checkPrivateKey(key)) return certificate
  throw invalid('The certificate of the application does not belong to its service key')
}

/** Block with a label in a PEM text (RFC 7468), or the whole text if there is no such block. */
function blockOf(pem: string, label: RegExp): string {
  // Replaces each backslash with an n in a PEM key by a line break, because a key that was copied
  // from Google's JSON file contains these two characters.
  const text = pem.replaceAll('\\n', '\n')
  const start = new RegExp(`-----BEGIN ${label.source}-----`).exec(text)
  if (!start) return text
  const end = new RegExp(`-----END ${label.source}-----`, 'g')
  end.lastIndex = start.index
  return text.slice(start.index, end.test(text) ? end.lastIndex : undefined)
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('rejected', message, { code: 'TokenGenerationError', cause })
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
