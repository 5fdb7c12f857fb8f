import { AppError } from '@posthorn/errors'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import type { PrivateKey, PublicKey } from './keys.ts'

export interface Sealer {
  /**
   * Seals a value for one context (`credentials/<account>/imap`). Returns a compact JWE (RFC 7516)
   * that contains the key id.
   */
  seal(value: string, context: string): Promise<string>
}

export interface Unsealer {
  /**
   * Unseals a value.
   *
   * @throws AppError `internal` if the key is missing, the value was changed, or sealed for another
   * context
   */
  unseal(sealed: string, context: string): Promise<string>
}

/** Sealer for key rotation. */
export interface Resealer extends Sealer {
  /** Id of the sealing key. */
  readonly newest: string
  /**
   * Seals the value again with the newest key, for the same context.
   *
   * @throws AppError `internal` if no key fits or the value was changed
   */
  reseal(sealed: string): Promise<string>
}

export function createSealer(publicKey: PublicKey): Sealer {
  return {
    seal: (value, context) =>
      new CompactEncrypt(Buffer.from(value))
        // The header is authenticated, so a value moved to another row cannot be unsealed there.
        // The context is stored under the name `place`.
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: publicKey.id, place: context })
        .encrypt(publicKey.key),
  }
}

/** Unseals with the key whose id is in the value, so that values of former keys stay readable. */
export function createUnsealer(privateKeys: readonly PrivateKey[]): Unsealer {
  const read = createReader(privateKeys)
  return {
    async unseal(sealed, context) {
      const { value, place } = await read(sealed)
      if (place !== context) throw cannotUnseal(new Error('Sealed for another context'))
      return value
    },
  }
}

/** Creates a resealer: unseals with any of the private keys and seals with the public key. */
export function createResealer(publicKey: PublicKey, privateKeys: readonly PrivateKey[]): Resealer {
  const read = createReader(privateKeys)
  const sealer = createSealer(publicKey)
  return {
    ...sealer,
    newest: publicKey.id,
    async reseal(sealed) {
      const { value, place } = await read(sealed)
      return sealer.seal(value, place)
    },
  }
}

/** Returns the id of the sealing key; undefined if the text is not a sealed value. */
export function keyIdOf(sealed: string): string | undefined {
  try {
    return decodeProtectedHeader(sealed).kid
  } catch {
    return undefined
  }
}

function createReader(privateKeys: readonly PrivateKey[]) {
  const keys = new Map(privateKeys.map(({ id, key }) => [id, key]))
  return async (sealed: string): Promise<{ value: string; place: string }> => {
    try {
      const { kid } = decodeProtectedHeader(sealed)
      const key = keys.get(kid ?? '')
      if (!key) throw new Error(`Sealed with key ${kid}, which is not configured`)
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
        keyManagementAlgorithms: ['ECDH-ES'],
        contentEncryptionAlgorithms: ['A256GCM'],
      })
      const place = protectedHeader['place']
      if (typeof place !== 'string') throw new Error('Sealed without a context')
      return { value: Buffer.from(plaintext).toString('utf8'), place }
    } catch (cause) {
      throw cannotUnseal(cause)
    }
  }
}

function cannotUnseal(cause: unknown): AppError {
  return new AppError('internal', 'A stored secret cannot be unsealed', { cause })
}
