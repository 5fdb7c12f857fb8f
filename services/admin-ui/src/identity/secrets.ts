import { hash, hkdfSync, randomBytes } from 'node:crypto'

/** Number of random bytes of cookies, tickets and links. */
const secretBytes = 32

/** Creates the value of a cookie, ticket or link: 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Creates the id of a person, session or link. Ids are not secret. */
export function newId(): string {
  return randomBytes(12).toString('hex')
}

/** Hash under which a secret is stored: SHA-256 as hex. A lookup by hash compares no secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Creates the salt of a session for `deriveCredential`. */
function newSalt(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** New cookie of a session, and the columns of the session that belong to the cookie. */
export function newSessionSecrets(): {
  cookie: string
  stored: { hash: string; salt: string; credentialHash: string }
} {
  const [cookie, salt] = [newSecret(), newSalt()]
  const credentialHash = hashSecret(deriveCredential(cookie, salt))
  return { cookie, stored: { hash: hashSecret(cookie), salt, credentialHash } }
}

/**
 * Derives the credential with which admin-ui calls api-gateway for a session (HKDF, RFC 5869). The
 * cookie is in the browser and the salt in the database, so neither of them suffices.
 */
export function deriveCredential(cookie: string, salt: string): string {
  const key = Buffer.from(cookie, 'base64url')
  const derived = hkdfSync('sha256', key, salt, 'posthorn admin credential', secretBytes)
  return `sess_${Buffer.from(derived).toString('base64url')}`
}
