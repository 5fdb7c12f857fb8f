import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { encryptFormState, decryptFormState } from './form-state.ts'

const key = Buffer.alloc(32, 7)

test('what is kept for a link is given back to it, and to no other', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const kept = encryptFormState(key, 'link', text)
      expect(decryptFormState(key, 'link', kept)).toBe(text.toWellFormed())
      expect(decryptFormState(key, 'another', kept)).toBeUndefined()
      expect(decryptFormState(Buffer.alloc(32, 8), 'link', kept)).toBeUndefined()
    }),
  )
})

test('it says nothing, not even that it is the same again', () => {
  const kept = encryptFormState(key, 'link', 'hunter2')
  expect(Buffer.from(kept, 'base64url').toString('latin1')).not.toContain('hunter2')
  expect(encryptFormState(key, 'link', 'hunter2')).not.toBe(kept)
})

test('whatever comes back changed is nothing, and no error', () => {
  const kept = Buffer.from(encryptFormState(key, 'link', 'hunter2'), 'base64url')
  for (let at = 0; at < kept.length; at += 1) {
    const changed = Buffer.from(kept)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(decryptFormState(key, 'link', changed.toString('base64url'))).toBeUndefined()
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decryptFormState(key, 'link', text)).toBeUndefined()
    }),
  )
})
