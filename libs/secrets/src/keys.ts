import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject } from 'node:crypto'

/**
 * Public key that seals (encrypts) values and cannot unseal them. Sealed values contain the id of
 * the key.
 */
export interface PublicKey {
  readonly id: string
  readonly key: KeyObject
  /**
   * Public key for sealing (encrypting) values, as base64url of the 32 raw bytes, as in
   * SVC_SECRET_PUBLIC_KEY.
   */
  readonly text: string
}

/** Private key that unseals (decrypts) values. Only auth-bridge has private keys. */
export interface PrivateKey {
  readonly id: string
  readonly key: KeyObject
}

/**
 * Derives the X25519 key pair of SVC_SECRET (HKDF-SHA256, RFC 5869). Only auth-bridge needs the
 * secret; services that only seal (encrypt) values need the public key.
 */
export function keyPairFromSecret(secret: string): {
  privateKey: PrivateKey
  publicKey: PublicKey
} {
  const seed = Buffer.from(hkdfSync('sha256', secret, 'posthorn', 'sealing key v1', 32))
  // PKCS #8 form of an X25519 key (RFC 8410 §7): a constant header, then the key.
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = describe(createPublicKey(key))
  return { privateKey: { id: publicKey.id, key }, publicKey }
}

/** Parses the public key in SVC_SECRET_PUBLIC_KEY. Throws if the value is not an X25519 key. */
export function readPublicKey(text: string): PublicKey {
  const raw = Buffer.from(text, 'base64url')
  if (raw.length !== 32) throw new Error('must be 32 bytes as base64url')
  const jwk = { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }
  return describe(createPublicKey({ key: jwk, format: 'jwk' }))
}

function describe(key: KeyObject): PublicKey {
  const text = key.export({ format: 'jwk' }).x ?? ''
  return { id: hash('sha256', text, 'hex').slice(0, 16), key, text }
}
