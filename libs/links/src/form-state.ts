import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** AES-256-GCM: 12 bytes nonce, ciphertext, 16 bytes tag. */
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts form input so that the next page can carry it in a hidden field. Only the same link can
 * decrypt it; a copy of the page does not reveal it.
 */
export function encryptFormState(key: Buffer, link: string, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(key, link), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts form state. Undefined if it was not encrypted with this key for this link. */
export function decryptFormState(key: Buffer, link: string, state: string): string | undefined {
  const bytes = Buffer.from(state, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyOf(key, link),
    bytes.subarray(0, nonceBytes),
    { authTagLength: tagBytes },
  )
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const body = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([body, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** Derives a key per link (HKDF, RFC 5869), distinct from the signing key. */
function keyOf(key: Buffer, link: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, link, 'posthorn kept on a form v1', 32))
}
