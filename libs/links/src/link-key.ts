import { hkdfSync } from 'node:crypto'

/**
 * Length of a link key's id in bytes. Ids only select among a few keys; the signature
 * authenticates.
 */
const idBytes = 6

/**
 * Secret of signed links (tracking, unsubscribing, hosted form). Each purpose has its own key,
 * derived by HKDF (RFC 5869), so that no value made for one purpose is valid for another purpose.
 * Links name the secret by `id`, which reveals nothing about the secret.
 */
export class LinkKey {
  /** Bytes of the secret, which sign links of releases without key ids, and encrypt form state. */
  readonly secret: Buffer
  readonly id: string
  readonly #derived = new Map<string, Buffer>()

  constructor(secret: Buffer) {
    this.secret = secret
    this.id = this.derive('key id').subarray(0, idBytes).toString('base64url')
  }

  /** Derives the key of a purpose, such as the signatures of links. */
  derive(purpose: string): Buffer {
    const cached = this.#derived.get(purpose)
    if (cached) return cached
    const info = `posthorn link ${purpose} v1`
    const key = Buffer.from(hkdfSync('sha256', this.secret, '', info, 32))
    this.#derived.set(purpose, key)
    return key
  }
}
