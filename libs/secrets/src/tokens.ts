import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 32 random bytes as 64 hex digits. Shown once, never stored. */
export function newToken(): string {
  return randomBytes(32).toString('hex')
}

/** What is stored of a token, and its id: SHA-256 as hex. Looking up by it compares no secret. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

export function isTokenShaped(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value)
}

/** Compares in constant time, whatever the lengths. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(left), digest(right))
}
