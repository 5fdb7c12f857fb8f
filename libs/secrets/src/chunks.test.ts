import { describe, expect, test } from '@jest/globals'
import {
  chunkOverheadBytes,
  type ChunkPosition,
  newChunkKey,
  encryptChunk,
  decryptChunk,
} from './chunks.ts'

const key = newChunkKey()
const position: ChunkPosition = { exportId: 'exp_1', number: 3, start: 2 ** 33, isLast: false }
const bytes = Buffer.from('part of a file')

describe('decryptChunk', () => {
  test.each([bytes, Buffer.alloc(0)])('encrypted bytes, returns them', (plain) => {
    const encrypted = encryptChunk(key, position, plain)
    expect(decryptChunk(key, position, encrypted)).toEqual(plain)
    expect(encrypted.length).toBe(plain.length + chunkOverheadBytes)
  })

  test.each<[string, Partial<ChunkPosition>]>([
    ['export', { exportId: 'exp_2' }],
    ['number', { number: 4 }],
    ['start', { start: 2 ** 33 + 1 }],
    ['end', { isLast: true }],
  ])('chunk of another %s, throws', (_member, other) => {
    const encrypted = encryptChunk(key, position, bytes)
    expect(() => decryptChunk(key, { ...position, ...other }, encrypted)).toThrow(
      'cannot be decrypted',
    )
  })

  test('another key, any changed byte or a cut chunk, throws', () => {
    const encrypted = encryptChunk(key, position, bytes)
    expect(() => decryptChunk(newChunkKey(), position, encrypted)).toThrow('cannot be decrypted')
    for (let at = 0; at < encrypted.length; at += 1) {
      const changed = Buffer.from(encrypted)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => decryptChunk(key, position, changed)).toThrow('cannot be decrypted')
      expect(() => decryptChunk(key, position, encrypted.subarray(0, at))).toThrow(
        'cannot be decrypted',
      )
    }
  })
})

test('encryptChunk: the same chunk twice, differs in every part', () => {
  const [one, other] = [encryptChunk(key, position, bytes), encryptChunk(key, position, bytes)]
  expect(one.subarray(1, 13)).not.toEqual(other.subarray(1, 13))
  expect(one.subarray(13)).not.toEqual(other.subarray(13))
  expect(one.includes(bytes)).toBe(false)
})
