import { hkdfSync } from 'node:crypto'
import { decryptText, encryptText } from './encrypted-text.ts'

/**
 * Encrypts the input of a hosted form, so that the next page of the form can carry the input in a
 * hidden field. The input can only be decrypted with the link of the form. A copy of the page does
 * not reveal the input.
 */
export function encryptFormState(key: Buffer, link: string, text: string): string {
  return encryptText(keyOf(key, link), text)
}

/**
 * Decrypts the input of a hosted form. Undefined if the input was not encrypted with the given key
 * for the given link.
 */
export function decryptFormState(key: Buffer, link: string, state: string): string | undefined {
  return decryptText(keyOf(key, link), state)
}

/**
 * Derives the key that encrypts the input of a hosted form (HKDF, RFC 5869). The key differs from
 * the key that signs links.
 */
function keyOf(key: Buffer, link: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, link, 'posthorn kept on a form v1', 32))
}
