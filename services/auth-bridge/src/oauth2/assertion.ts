import { createPrivateKey, sign } from 'node:crypto'
import { AppError } from '@posthorn/errors'

/** Google takes no longer one. */
const lifeSeconds = 3_600

export interface AssertionClaims {
  iss: string
  sub: string
  scope: string
  aud: string
}

/** A JWT that a service account asks for a token with: RFC 7523 §2.1, signed by RS256. */
export function signAssertion(claims: AssertionClaims, pem: string, now: number): string {
  const iat = Math.floor(now / 1_000)
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { ...claims, iat, exp: iat + lifeSeconds },
  ]
  const text = parts.map((part) => base64url(JSON.stringify(part))).join('.')
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), readKey(pem)).toString('base64url')}`
}

function readKey(pem: string) {
  try {
    // Copied out of Google's JSON its line ends are two characters.
    return createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch (cause) {
    throw new AppError('rejected', 'The service key of the application cannot be read', {
      code: 'TokenGenerationError',
      cause,
    })
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
