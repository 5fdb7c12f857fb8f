import { AppError } from '@posthorn/errors'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import type { PrivateKey, PublicKey } from './keys.ts'

export interface Sealer {
  /** Seals a value for one place (`credentials/<account>/imap`); it opens nowhere else. A compact JWE (RFC 7516) with the key's id inside. */
  seal(value: string, place: string): Promise<string>
}

export interface Opener {
  /** @throws AppError `internal` when the key is not known, the value was tampered with, or belongs to another place. */
  open(sealed: string, place: string): Promise<string>
}

export function createSealer(publicKey: PublicKey): Sealer {
  return {
    seal: (value, place) =>
      new CompactEncrypt(Buffer.from(value))
        // The header is authenticated: `place` in it keeps one account's value from being put in another's row.
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: publicKey.id, place })
        .encrypt(publicKey.key),
  }
}

/** Opens with any of the keys, by the id inside the value: rotation adds a key and takes none away. */
export function createOpener(privateKeys: readonly PrivateKey[]): Opener {
  const keys = new Map(privateKeys.map(({ id, key }) => [id, key]))
  return {
    async open(sealed, place) {
      try {
        const { kid } = decodeProtectedHeader(sealed)
        const key = keys.get(kid ?? '')
        if (!key) throw new Error(`sealed with key ${kid}, which is not here`)
        const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
          keyManagementAlgorithms: ['ECDH-ES'],
          contentEncryptionAlgorithms: ['A256GCM'],
        })
        if (protectedHeader['place'] !== place) throw new Error('sealed for another place')
        return Buffer.from(plaintext).toString('utf8')
      } catch (cause) {
        throw new AppError('internal', 'A stored secret cannot be opened', { cause })
      }
    },
  }
}
