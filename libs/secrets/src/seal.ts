import { AppError } from '@posthorn/errors'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import type { PrivateKey, PublicKey } from './keys.ts'

export interface Sealer {
  /** Seals a value for one place (`credentials/<account>/imap`); it opens nowhere else. A compact JWE (RFC 7516) with the key's id inside. */
  seal(value: string, place: string): Promise<string>
}

export interface Unsealer {
  /** @throws AppError `internal` when the key is not known, the value was tampered with, or belongs to another place. */
  unseal(sealed: string, place: string): Promise<string>
}

/** Seals with the newest key. */
export interface Resealer extends Sealer {
  /** Id of the key that it seals with. */
  readonly newest: string
  /**
   * The same value for the same place, sealed with the newest key.
   *
   * @throws AppError `internal` as `Opener.open` does.
   */
  reseal(sealed: string): Promise<string>
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
export function createUnsealer(privateKeys: readonly PrivateKey[]): Unsealer {
  const read = readerOf(privateKeys)
  return {
    async unseal(sealed, place) {
      const { value, place: found } = await read(sealed)
      if (found !== place) throw unopenable(new Error('sealed for another place'))
      return value
    },
  }
}

/** For the rotation of keys: what any of the keys opens is sealed anew with the public one. It moves nothing: the place stays what it was. */
export function createResealer(publicKey: PublicKey, privateKeys: readonly PrivateKey[]): Resealer {
  const read = readerOf(privateKeys)
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

/** Id of the key that a value is sealed with; undefined where it is no sealed value. */
export function keyIdOf(sealed: string): string | undefined {
  try {
    return decodeProtectedHeader(sealed).kid
  } catch {
    return undefined
  }
}

function readerOf(privateKeys: readonly PrivateKey[]) {
  const keys = new Map(privateKeys.map(({ id, key }) => [id, key]))
  return async (sealed: string): Promise<{ value: string; place: string }> => {
    try {
      const { kid } = decodeProtectedHeader(sealed)
      const key = keys.get(kid ?? '')
      if (!key) throw new Error(`sealed with key ${kid}, which is not here`)
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
        keyManagementAlgorithms: ['ECDH-ES'],
        contentEncryptionAlgorithms: ['A256GCM'],
      })
      const place = protectedHeader['place']
      if (typeof place !== 'string') throw new Error('sealed for no place')
      return { value: Buffer.from(plaintext).toString('utf8'), place }
    } catch (cause) {
      throw unopenable(cause)
    }
  }
}

function unopenable(cause: unknown): AppError {
  return new AppError('internal', 'A stored secret cannot be opened', { cause })
}
