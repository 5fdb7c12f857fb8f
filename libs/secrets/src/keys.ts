import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

/** Seals; cannot open. `id` travels with what it sealed. */
export interface PublicKey {
  readonly id: string
  readonly key: KeyObject
  /** Base64url of the 32 raw bytes: the form of SVC_SECRET_PUBLIC_KEY. */
  readonly text: string
}

export interface PrivateKey {
  readonly id: string
  readonly key: KeyObject
}

/**
 * The X25519 key pair of a set-up with a single secret: HKDF-SHA256 of SVC_SECRET (RFC 5869). Give the secret to auth-bridge alone,
 * and the public key to whoever seals.
 */
export function keyPairFromSecret(secret: string): {
  privateKey: PrivateKey
  publicKey: PublicKey
} {
  const seed = Buffer.from(hkdfSync('sha256', secret, 'posthorn', 'sealing key v1', 32))
  // RFC 8410 §7: the fixed head of a PKCS #8 X25519 key, then the key.
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = describe(createPublicKey(key))
  return { privateKey: { id: publicKey.id, key }, publicKey }
}

/** Reads SVC_SECRET_PUBLIC_KEY. Throws where it is no X25519 key. */
export function readPublicKey(text: string): PublicKey {
  const raw = Buffer.from(text, 'base64url')
  if (raw.length !== 32) throw new Error('must be 32 bytes as base64url')
  return describe(
    createPublicKey({
      key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') },
      format: 'jwk',
    }),
  )
}

function describe(key: KeyObject): PublicKey {
  const text = key.export({ format: 'jwk' }).x ?? ''
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 16), key, text }
}
