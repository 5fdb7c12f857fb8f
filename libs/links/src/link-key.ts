import { hkdfSync } from 'node:crypto'

/** Bytes of a key id. Ids only select among a few keys; the signature authenticates. */
const idBytes = 6

/**
 * Secret of links. Each purpose has its own key, derived by HKDF (RFC 5869), so that no value made
 * for one purpose is valid for another. Links name the secret by `id`, which reveals nothing about
 * the secret.
 */
export class LinkKey {
  /** Signs links of releases without key ids, and encrypts form state. */
  readonly secret: Buffer
  readonly id: string
  readonly #derived = new Map<string, Buffer>()

  constructor(secret: Buffer) {
    this.secret = secret
    this.id = this.derive('key id').subarray(0, idBytes).toString('base64url')
  }

  /** Key of a purpose. */
  derive(purpose: string): Buffer {
    const cached = this.#derived.get(purpose)
    if (cached) return cached
    const info = `posthorn link ${purpose} v1`
    const key = Buffer.from(hkdfSync('sha256', this.secret, '', info, 32))
    this.#derived.set(purpose, key)
    return key
  }
}
