import { createDecipheriv, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '@posthorn/config'
import { TtlCache } from '@posthorn/flow'
import { UnreadableError } from './unreadable-error.ts'

/**
 * First characters of each value that EmailEngine has encrypted. A value without these characters
 * is plaintext.
 */
const prefix = '$wd01$'
const sealed =
  /\$wd01\$aes-256-gcm\$([0-9a-f]{32})\$([0-9a-f]{24})\$([0-9a-f]{32})\$((?:[0-9a-f]{2})*)/gi

/**
 * Maximum number of derived decryption keys in memory. Each run of an EmailEngine process uses one
 * salt.
 */
const maxKeys = 1_000

/**
 * Maximum nesting of a value in EmailEngine's store. Values of EmailEngine have at most five
 * levels.
 */
const maxDepth = 32

const deriveKey = promisify<string, Buffer, number, Buffer>(scrypt)

/**
 * Decrypts values of EmailEngine: AES-256-GCM with a key that scrypt derives from the secret of the
 * EmailEngine instance (`EENGINE_SECRET`).
 */
export class ValueUnsealer {
  readonly #secret: Secret | undefined
  readonly #keys = new TtlCache<string, Buffer>({ max: maxKeys })

  constructor(secret?: Secret) {
    this.#secret = secret
  }

  /** Number of cached keys that scrypt derived to decrypt values of EmailEngine. */
  get cachedKeys(): number {
    return this.#keys.size
  }

  /**
   * Returns a copy of an EmailEngine value in which each encrypted text is replaced by its
   * plaintext.
   *
   * @throws UnreadableError that names the member with a text that cannot be decrypted
   */
  async unsealMembers(value: unknown, path: readonly string[] = []): Promise<unknown> {
    if (typeof value === 'string') return this.#unsealMember(value, path)
    if (value === null || typeof value !== 'object' || value instanceof Date) return value
    if (path.length > maxDepth) throw new UnreadableError('the value is nested too deeply')
    if (Array.isArray(value))
      return Promise.all(value.map((item, at) => this.unsealMembers(item, [...path, String(at)])))
    const entries = Object.entries(value).map(
      async ([name, item]) => [name, await this.unsealMembers(item, [...path, name])] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }

  /**
   * Decrypts one text of EmailEngine. Returns a plaintext unchanged, and undefined if decryption
   * fails.
   */
  async unseal(text: string): Promise<string | undefined> {
    if (!isSealed(text)) return text
    if (!this.#secret) return undefined
    const [match, ...others] = text.matchAll(sealed)
    const [whole, tag = '', iv = '', salt = '', data = ''] = match ?? []
    if (whole !== text || others.length > 0) return undefined
    const secret = this.#secret.reveal()
    const key = await this.#keys.load(salt.toLowerCase(), () =>
      deriveKey(secret, Buffer.from(salt, 'hex'), 32),
    )
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'hex'))
    decipher.setAuthTag(Buffer.from(tag, 'hex'))
    try {
      return Buffer.concat([decipher.update(data, 'hex'), decipher.final()]).toString()
    } catch {
      return undefined // The authentication tag of the encrypted text does not match.
    }
  }

  async #unsealMember(text: string, path: readonly string[]): Promise<string> {
    const plaintext = await this.unseal(text)
    if (plaintext !== undefined) return plaintext
    const name = path.length === 0 ? 'the value' : path.join('.')
    throw new UnreadableError(`${name} cannot be decrypted with the secret`)
  }
}

/** True for a text that EmailEngine has encrypted. */
export function isSealed(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(prefix)
}

/**
 * Lists the values encrypted by EmailEngine that a text contains, such as the JSON text of an
 * account.
 */
export function findSealedValues(text: string): string[] {
  return Array.from(text.matchAll(sealed), ([value]) => value)
}
