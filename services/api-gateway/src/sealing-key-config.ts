import { ConfigError, type Env, minSecretLength, optional, secret } from '@posthorn/config'
import { keyPairFromSecret, type PublicKey, readPublicKey } from '@posthorn/secrets'

/**
 * Reads the public key with which api-gateway seals (encrypts) secrets. The private key does not
 * stay in memory, so api-gateway cannot unseal secrets.
 */
export function readSealingKey(env: Env): PublicKey {
  const name = 'SVC_SECRET_PUBLIC_KEY'
  const text = optional(env, name)
  if (text !== undefined) {
    try {
      return readPublicKey(text)
    } catch {
      throw new ConfigError(name, 'must be 32 bytes of an X25519 key as base64url')
    }
  }
  const derived = secret(env, 'SVC_SECRET', { minLength: minSecretLength })
  if (derived === undefined) throw new ConfigError(name, 'must be set, or SVC_SECRET instead')
  return keyPairFromSecret(derived.reveal()).publicKey
}
