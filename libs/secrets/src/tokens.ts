import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Creates an access token: 32 random bytes as 64 hex digits. Shown once, never stored. */
export function newToken(): string {
  return randomBytes(32).toString('hex')
}

/** Id under which an access token is stored: SHA-256 as hex. A lookup by id compares no secret. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

/** Compares two secrets of any length in constant time. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (value: string) => hash('sha256', value, 'buffer')
  return timingSafeEqual(digest(left), digest(right))
}
