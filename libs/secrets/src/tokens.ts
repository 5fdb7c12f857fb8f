import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Creates an access token: 32 random bytes as 64 hex digits. Shown once, never stored. */
export function newToken(): string {
  return randomBytes(32).toString('hex')
}

/** Id under which an access token is stored: SHA-256 as hex. A lookup by id compares no secret. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

/** Ids under which an access token with a given value may be stored. */
export interface TokenIds {
  /** Id of an access token that was created by this installation: `hashToken` of the value. */
  readonly own: string
  /**
   * Id of an access token that was imported from EmailEngine: SHA-256 of the 32 bytes that its
   * value has in hex digits. Undefined for any other value.
   */
  readonly imported: string | undefined
}

/**
 * Returns both ids of an access token's value. A stored token matches only by the id of its kind.
 * Otherwise, a token of 32 characters would also be valid as the hex digits of these characters.
 */
export function tokenIds(value: string): TokenIds {
  // EmailEngine accepts access tokens with hex digits of both cases.
  const isHex = /^[0-9a-f]{64}$/i.test(value)
  const imported = isHex ? hash('sha256', Buffer.from(value, 'hex'), 'hex') : undefined
  return { own: hashToken(value), imported }
}

/** Compares two secrets of any length in constant time. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (value: string) => hash('sha256', value, 'buffer')
  return timingSafeEqual(digest(left), digest(right))
}
