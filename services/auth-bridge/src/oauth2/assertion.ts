import { createPrivateKey, sign } from 'node:crypto'
import { AppError } from '@posthorn/errors'

/** Maximum that Google accepts. */
const lifetimeSeconds = 3_600

interface AssertionClaims {
  iss: string
  sub: string
  scope: string
  aud: string
}

/** Creates a signed JWT assertion of a service account (RFC 7523 §2.1, RS256). */
export function signAssertion(claims: AssertionClaims, pem: string, now: number): string {
  const iat = Math.floor(now / 1_000)
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { ...claims, iat, exp: iat + lifetimeSeconds },
  ]
  const text = parts.map((part) => base64url(JSON.stringify(part))).join('.')
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), readKey(pem)).toString('base64url')}`
}

function readKey(pem: string) {
  try {
    // A key copied from Google's JSON file has `\\n` instead of line breaks.
    return createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch (cause) {
    throw new AppError('rejected', 'The service key of the application is not a valid PEM key', {
      code: 'TokenGenerationError',
      cause,
    })
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
