import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * Lengths of the nonce and the tag in an encrypted text. An encrypted text (AES-256-GCM) consists
 * of the nonce, the ciphertext and the tag.
 */
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts a text of a link or form and protects it against changes. Encrypting the same text twice
 * gives different results.
 */
export function encryptText(key: Buffer, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')
}

/**
 * Decrypts a text of a link or form. Undefined if the text was not encrypted with the key `key`.
 */
export function decryptText(key: Buffer, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const nonce = bytes.subarray(0, nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const body = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([body, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
