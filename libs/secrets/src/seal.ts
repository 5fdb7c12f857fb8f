import { AppError } from '@posthorn/errors'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import type { PrivateKey, PublicKey } from './keys.ts'

export interface Sealer {
  /**
   * Seals (encrypts) a value for one context: the place where it is stored, such as
   * `credentials/<account>/imap`. Returns a compact JWE (RFC 7516) that contains the key id. A
   * binding limits the use of the value further; earlier releases ignore bindings.
   */
  seal(value: string, context: string, binding?: Binding): Promise<string>
}

/**
 * Binding: use that a sealed (encrypted) value is limited to, such as login at a certain server. A
 * binding is readable and cannot be changed.
 */
export type Binding = Readonly<Record<string, unknown>>

export interface Unsealer {
  /**
   * Unseals (decrypts) a value that was sealed for the given context (the place where the value is
   * stored).
   *
   * @throws AppError `internal` if the key is missing, the value was changed, or sealed for another
   * context
   */
  unseal(sealed: string, context: string): Promise<string>
  /**
   * Unseals (decrypts) a value and returns it with its binding (limit of its use), which is absent
   * in values of earlier releases.
   */
  open(sealed: string, context: string): Promise<{ value: string; binding?: Binding }>
}

/** Sealer (encrypts secrets) that also seals stored values again, for the rotation of keys. */
export interface Resealer extends Sealer {
  /** Id of the newest key, with which secrets are sealed (encrypted). */
  readonly newest: string
  /**
   * Seals a sealed (encrypted) value again with the newest key, for the same context and binding.
   * `binding` (limit of the value's use) applies to a value without a binding.
   *
   * @throws AppError `internal` if no key fits or the value was changed
   */
  reseal(sealed: string, binding?: Binding): Promise<string>
}

export function createSealer(publicKey: PublicKey): Sealer {
  return {
    seal: (value, context, binding) =>
      new CompactEncrypt(Buffer.from(value))
        // The JWE header is authenticated, so a sealed value that was moved to another database row
        // cannot be unsealed there. The seal context is stored under the name `place`.
        .setProtectedHeader({
          alg: 'ECDH-ES',
          enc: 'A256GCM',
          kid: publicKey.id,
          place: context,
          ...(binding && { binding }),
        })
        .encrypt(publicKey.key),
  }
}

/**
 * Creates an unsealer: decrypts a sealed value with the key whose id is in the value, so that
 * values of earlier keys stay readable.
 */
export function createUnsealer(privateKeys: readonly PrivateKey[]): Unsealer {
  const read = createReader(privateKeys)
  const open: Unsealer['open'] = async (sealed, context) => {
    const { place, ...opened } = await read(sealed)
    if (place !== context) throw cannotUnseal(new Error('Sealed for another context'))
    return opened
  }
  return { open, unseal: async (sealed, context) => (await open(sealed, context)).value }
}

/**
 * Creates a resealer: decrypts sealed values with any of the private keys and encrypts them with
 * the public key.
 */
export function createResealer(publicKey: PublicKey, privateKeys: readonly PrivateKey[]): Resealer {
  const read = createReader(privateKeys)
  const sealer = createSealer(publicKey)
  return {
    ...sealer,
    newest: publicKey.id,
    async reseal(sealed, missing) {
      const { value, place, binding = missing } = await read(sealed)
      return sealer.seal(value, place, binding)
    },
  }
}

/**
 * Returns the id of the key that sealed (encrypted) a value; undefined if the text is not a sealed
 * value.
 */
export function keyIdOf(sealed: string): string | undefined {
  try {
    return decodeProtectedHeader(sealed).kid
  } catch {
    return undefined
  }
}

/**
 * True if a sealed (encrypted) value has a binding (limit of its use, such as a certain server).
 * False if the text is not a sealed value.
 */
export function isBound(sealed: string): boolean {
  try {
    return decodeProtectedHeader(sealed)['binding'] !== undefined
  } catch {
    return false
  }
}

interface OpenedValue {
  value: string
  place: string
  binding?: Binding
}

function createReader(privateKeys: readonly PrivateKey[]) {
  const keys = new Map(privateKeys.map(({ id, key }) => [id, key]))
  return async (sealed: string): Promise<OpenedValue> => {
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
      const binding = protectedHeader['binding'] as Binding | undefined
      const value = Buffer.from(plaintext).toString('utf8')
      return { value, place, ...(binding && { binding }) }
    } catch (cause) {
      throw cannotUnseal(cause)
    }
  }
}

function cannotUnseal(cause: unknown): AppError {
  return new AppError('internal', 'A stored secret cannot be unsealed', { cause })
}
