import { hkdfSync } from 'node:crypto'
import { decryptText, encryptText } from './encrypted-text.ts'

/**
 * Encrypts form input so that the next page can carry it in a hidden field. Only the same link can
 * decrypt the input; a copy of the page does not reveal it.
 */
export function encryptFormState(key: Buffer, link: string, text: string): string {
  return encryptText(keyOf(key, link), text)
}

/** Decrypts form state. Undefined if it was not encrypted with this key for this link. */
export function decryptFormState(key: Buffer, link: string, state: string): string | undefined {
  return decryptText(keyOf(key, link), state)
}

/** Derives a key per link (HKDF, RFC 5869), distinct from the signing key. */
function keyOf(key: Buffer, link: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, link, 'posthorn kept on a form v1', 32))
}
