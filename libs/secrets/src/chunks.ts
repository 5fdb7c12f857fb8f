import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AppError } from '@posthorn/errors'

/** Position of a chunk in the file of an export. The encryption authenticates the position. */
export interface ChunkPosition {
  exportId: string
  /** Number of the chunk in the file of the export, starting at 0. */
  number: number
  /** Offset of the chunk's first byte in the file of the export. */
  start: number
  /** True for the last chunk of the export's file. */
  isLast: boolean
}

/**
 * Version of the format of encrypted export chunks: a byte with this version, then nonce,
 * ciphertext and tag.
 */
const version = 1
const keyBytes = 32
/** Size of the nonce of AES-GCM (NIST SP 800-38D §8.2.2: random, at most 2^32 per key). */
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + nonceBytes

/** Number of bytes by which a chunk of an export's file grows when the chunk is encrypted. */
export const chunkOverheadBytes = headBytes + tagBytes

/** Creates the key of an export's chunks. */
export function newChunkKey(): Buffer {
  return randomBytes(keyBytes)
}

/**
 * Seal context (storage place to which an encrypted value is bound) of the key of an export's
 * chunks.
 */
export function chunkKeySealContext(exportId: string): string {
  return `export/${exportId}`
}

/**
 * Encrypts a chunk of an export with AES-256-GCM. The nonce is random, because a crash may cause
 * the same chunk to be encrypted twice with different bytes.
 */
export function encryptChunk(key: Buffer, position: ChunkPosition, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(version)
  const nonce = randomBytes(nonceBytes)
  nonce.copy(head, 1)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(contextOf(position))
  const text = cipher.update(bytes)
  cipher.final()
  return Buffer.concat([head, text, cipher.getAuthTag()])
}

/**
 * Decrypts a chunk of an export.
 *
 * @throws AppError `internal` if the chunk was changed, or was encrypted with another key, for
 * another export or another position
 */
export function decryptChunk(key: Buffer, position: ChunkPosition, encrypted: Buffer): Buffer {
  try {
    if (encrypted.length < chunkOverheadBytes || encrypted.readUInt8() !== version)
      throw new Error('Unknown format')
    const nonce = encrypted.subarray(1, headBytes)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(contextOf(position))
    decipher.setAuthTag(encrypted.subarray(-tagBytes))
    const bytes = decipher.update(encrypted.subarray(headBytes, -tagBytes))
    decipher.final()
    return bytes
  } catch (cause) {
    throw new AppError('internal', 'A chunk of an export cannot be decrypted', { cause })
  }
}

/** Additional authenticated data of an encrypted chunk: its position in the file of the export. */
function contextOf({ exportId, number, start, isLast }: ChunkPosition): Buffer {
  const numbers = Buffer.alloc(14)
  numbers.writeUInt8(version)
  numbers.writeUInt32BE(number, 1)
  numbers.writeBigUInt64BE(BigInt(start), 5)
  numbers.writeUInt8(isLast ? 1 : 0, 13)
  return Buffer.concat([numbers, Buffer.from(exportId)])
}
