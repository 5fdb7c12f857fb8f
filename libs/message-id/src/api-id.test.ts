import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import {
  checkApiMessageId,
  decodeApiAttachmentId,
  decodeApiTextId,
  decodeAttachmentId,
  decodeTextId,
  encodeApiAttachmentId,
  encodeApiTextId,
  encodeAttachmentId,
  encodeMessageId,
  encodeTextId,
} from './index.ts'

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const id = fc.string({ unit: visible, minLength: 1, maxLength: 200 })
const partId = fc.string({ unit: visible, maxLength: 512 })

function codeOf(decode: () => unknown): string | undefined {
  try {
    decode()
    return 'accepted'
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return error.code
    throw error
  }
}

test('checkApiMessageId: visible ASCII of 1 to 200 characters, returns the id unchanged', () => {
  fc.assert(fc.property(id, (id) => expect(checkApiMessageId(id)).toBe(id)))
  for (const text of ['', ' ', 'a b', 'é', 'a\n', 'a\0', 'x'.repeat(201)])
    expect(codeOf(() => checkApiMessageId(text))).toBe('InvalidId')
})

test('encodeApiTextId, encodeApiAttachmentId: any id and part, decode to them', () => {
  fc.assert(
    fc.property(id, partId, (id, partId) => {
      expect(decodeApiTextId(encodeApiTextId(id))).toBe(id)
      const attachment = encodeApiAttachmentId({ id, partId })
      expect(attachment).toMatch(/^[\w-]+$/)
      expect(attachment.length).toBeLessThanOrEqual(952)
      expect(decodeApiAttachmentId(attachment)).toEqual({ id, partId })
    }),
  )
})

test('encodeApiAttachmentId: an id or part of another form, throws RangeError', () => {
  for (const part of ['a b', 'é', '\0', 'x'.repeat(513)])
    expect(() => encodeApiAttachmentId({ id: 'a', partId: part })).toThrow(RangeError)
  expect(() => encodeApiTextId('')).toThrow(RangeError)
})

test('decodeApiTextId, decodeApiAttachmentId: reject ids of IMAP accounts, and the reverse', () => {
  const number = fc.integer({ min: 1, max: 0x7fff_ffff })
  fc.assert(
    fc.property(number, number, (mailbox, uid) => {
      for (const foreign of [
        encodeMessageId({ mailbox, uid }),
        encodeTextId({ mailbox, uid, plain: ['1'], html: [] }),
        encodeAttachmentId({ mailbox, uid, part: '2.1' }),
      ]) {
        expect(codeOf(() => decodeApiTextId(foreign))).toBe('InvalidId')
        expect(codeOf(() => decodeApiAttachmentId(foreign))).toBe('InvalidId')
      }
    }),
  )
  fc.assert(
    fc.property(id, partId, (id, partId) => {
      expect(codeOf(() => decodeTextId(encodeApiTextId(id)))).toBe('InvalidId')
      const attachment = encodeApiAttachmentId({ id, partId })
      expect(codeOf(() => decodeAttachmentId(attachment))).toBe('InvalidId')
    }),
    // The attachment id of this pair has the form of an IMAP id, with a mailbox number above 2^31.
    { examples: [['!!!!!!', '1']] },
  )
})

test.each([
  ['', 'nothing'],
  ['18c0ffee00000001', 'a message id'],
  [encodeApiAttachmentId({ id: 'a', partId: '' }), 'an attachment id'],
  [`${encodeApiTextId('ab')}=`, 'padding'],
  [packed(0xf1, 'a'), 'no end of the message id'],
  [packed(0xf1, '\0'), 'an empty message id'],
  [packed(0xf1, 'a\x001'), 'a part in the id of a text'],
  [packed(0xf1, 'a\0\0'), 'a second part'],
  [packed(0xf1, 'a b\0'), 'a message id with a space'],
  [packed(0xf1, 'é\0'), 'a message id outside ASCII'],
  [packed(0xf1, `${'x'.repeat(201)}\0`), 'a message id that is too long'],
  [packed(0xf0, 'a\0'), 'another kind'],
])('decodeApiTextId: %j is rejected: %s', (text) => {
  expect(codeOf(() => decodeApiTextId(text))).toBe('InvalidId')
})

function packed(kind: number, rest: string): string {
  return Buffer.concat([Buffer.of(kind), Buffer.from(rest, 'latin1')]).toString('base64url')
}

test('decodeApiAttachmentId: random texts, accepted only if they are the encoding', () => {
  const near = fc
    .uint8Array({ minLength: 1, maxLength: 24 })
    .map((bytes) => Buffer.concat([Buffer.of(0xf2), bytes]).toString('base64url'))
  fc.assert(
    fc.property(fc.oneof(fc.string(), near), (text) => {
      if (codeOf(() => decodeApiAttachmentId(text)) === 'accepted')
        expect(encodeApiAttachmentId(decodeApiAttachmentId(text))).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})
