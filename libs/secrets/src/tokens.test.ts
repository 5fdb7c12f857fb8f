import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { hashToken, newToken, tokenIds } from './tokens.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

test('tokenIds: hex digits of 32 bytes, returns the hashes of the text and of the bytes', () => {
  const value = newToken()
  expect(tokenIds(value)).toEqual({
    own: sha256(value),
    imported: sha256(Buffer.from(value, 'hex')),
  })
})

test('tokenIds: upper-case hex digits, returns the same id of an imported token', () => {
  const value = 'ab12'.repeat(16)
  const { own, imported } = tokenIds(value.toUpperCase())
  expect(imported).toBe(tokenIds(value).imported)
  expect(own).toBe(hashToken(value.toUpperCase()))
})

test.each(['', 'a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), `${'a'.repeat(64)}\n`])(
  'tokenIds: %j, returns no id of an imported token',
  (value) => {
    expect(tokenIds(value)).toEqual({ own: hashToken(value), imported: undefined })
  },
)
