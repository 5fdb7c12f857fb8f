import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { encryptFormState, decryptFormState } from './form-state.ts'

const key = Buffer.alloc(32, 7)

test('decryptFormState: decrypts for the same link and key only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const state = encryptFormState(key, 'link', text)
      expect(decryptFormState(key, 'link', state)).toBe(text.toWellFormed())
      expect(decryptFormState(key, 'another', state)).toBeUndefined()
      expect(decryptFormState(Buffer.alloc(32, 8), 'link', state)).toBeUndefined()
    }),
  )
})

test('encryptFormState: equal inputs have different ciphertexts', () => {
  const state = encryptFormState(key, 'link', 'hunter2')
  expect(Buffer.from(state, 'base64url').toString('latin1')).not.toContain('hunter2')
  expect(encryptFormState(key, 'link', 'hunter2')).not.toBe(state)
})

test('decryptFormState: with any change, returns undefined', () => {
  const state = Buffer.from(encryptFormState(key, 'link', 'hunter2'), 'base64url')
  for (let at = 0; at < state.length; at += 1) {
    const changed = Buffer.from(state)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(decryptFormState(key, 'link', changed.toString('base64url'))).toBeUndefined()
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decryptFormState(key, 'link', text)).toBeUndefined()
    }),
  )
})
