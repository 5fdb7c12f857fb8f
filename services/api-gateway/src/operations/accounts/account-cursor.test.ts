import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import { decodeAccountCursor, encodeAccountCursor } from './account-cursor.ts'

test('decodeAccountCursor: returns the encoded id', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 256 }), (text) => {
      const account = text.replaceAll('\0', 'x')
      expect(decodeAccountCursor(encodeAccountCursor(account))).toBe(account)
    }),
  )
})

const encoded = encodeAccountCursor('jane')
test.each([
  '',
  'jane',
  'account_',
  'imap_amFuZQ',
  `${encoded}=`,
  ` ${encoded}`,
  encoded.toUpperCase(),
  // Cursors of bytes that are no UTF-8, and of an account id with a NUL character.
  `account_${Buffer.from([0xff]).toString('base64url')}`,
  encodeAccountCursor('a\0'),
])('decodeAccountCursor: %j, InvalidCursorValue', (cursor) => {
  let error: unknown
  try {
    decodeAccountCursor(cursor)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ kind: 'invalid', code: 'InvalidCursorValue' })
})
