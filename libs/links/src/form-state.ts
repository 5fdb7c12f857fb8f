import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** AES-256-GCM: 12 bytes of nonce before the text, 16 of tag behind it. */
const nonceLength = 12
const tagLength = 16

/**
 * Encrypts what a person has typed on one page for the next page to give back: for whoever signs links, and for this link alone. The
 * form that carries it tells it to nobody, and neither does a copy of the page.
 */
export function encryptFormState(key: Buffer, link: string, text: string): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', keyOf(key, link), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')
}

/** What was kept; undefined unless we kept it, for this link. */
export function decryptFormState(key: Buffer, link: string, kept: string): string | undefined {
  const bytes = Buffer.from(kept, 'base64url')
  if (bytes.length < nonceLength + tagLength) return undefined
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyOf(key, link),
    bytes.subarray(0, nonceLength),
    { authTagLength: tagLength },
  )
  decipher.setAuthTag(bytes.subarray(-tagLength))
  try {
    const body = decipher.update(bytes.subarray(nonceLength, -tagLength))
    return Buffer.concat([body, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** RFC 5869: a key of its own for each link, and none that signs. */
function keyOf(key: Buffer, link: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, link, 'posthorn kept on a form v1', 32))
}
