import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keepForLink, readKept } from './kept.ts'

const key = Buffer.alloc(32, 7)

test('what is kept for a link is given back to it, and to no other', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const kept = keepForLink(key, 'link', text)
      expect(readKept(key, 'link', kept)).toBe(text.toWellFormed())
      expect(readKept(key, 'another', kept)).toBeUndefined()
      expect(readKept(Buffer.alloc(32, 8), 'link', kept)).toBeUndefined()
    }),
  )
})

test('it says nothing, not even that it is the same again', () => {
  const kept = keepForLink(key, 'link', 'hunter2')
  expect(Buffer.from(kept, 'base64url').toString('latin1')).not.toContain('hunter2')
  expect(keepForLink(key, 'link', 'hunter2')).not.toBe(kept)
})

test('whatever comes back changed is nothing, and no error', () => {
  const kept = Buffer.from(keepForLink(key, 'link', 'hunter2'), 'base64url')
  for (let at = 0; at < kept.length; at += 1) {
    const changed = Buffer.from(kept)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(readKept(key, 'link', changed.toString('base64url'))).toBeUndefined()
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(readKept(key, 'link', text)).toBeUndefined()
    }),
  )
})
