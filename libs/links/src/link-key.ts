import { createHmac, hkdfSync } from 'node:crypto'

/**
 * Length in bytes of the id of a link key. A short id is sufficient: it only selects one of a few
 * keys, and the signature proves the authenticity.
 */
const idBytes = 6

/**
 * Secret from which the keys of signed links (tracking, unsubscribing, hosted form) are derived by
 * HKDF (RFC 5869). Each purpose has its own key, so that a value for one purpose is not valid for
 * another purpose. Links contain the `id` of the secret, which reveals nothing about the secret.
 */
export class LinkKey {
  /**
   * Bytes of the secret for signed links. The bytes directly sign the links of earlier releases,
   * which have no key id, and encrypt the input of hosted forms.
   */
  readonly secret: Buffer
  readonly id: string
  readonly #derived = new Map<string, Buffer>()

  constructor(secret: Buffer) {
    this.secret = secret
    this.id = this.derive('key id').subarray(0, idBytes).toString('base64url')
  }

  /** Derives the key for a purpose, such as the signatures of links, from the secret for links. */
  derive(purpose: string): Buffer {
    const cached = this.#derived.get(purpose)
    if (cached) return cached
    const info = `posthorn link ${purpose} v1`
    const key = Buffer.from(hkdfSync('sha256', this.secret, '', info, 32))
    this.#derived.set(purpose, key)
    return key
  }

  /**
   * Computes an id of an imported secret: an HMAC-SHA256 in base64url, with a key that is derived
   * from the secret for links.
   */
  identify(secret: Buffer): string {
    return createHmac('sha256', this.derive('imported key id')).update(secret).digest('base64url')
  }
}
