import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import {
  decodeAttachmentId,
  decodeCursor,
  decodeMessageId,
  decodeTextId,
  encodeAttachmentId,
  encodeCursor,
  encodeMessageId,
  encodeTextId,
} from './index.ts'

const mailboxNumber = fc.integer({ min: 1, max: 0x7fff_ffff })
const number = fc.integer({ min: 1, max: 0xffff_ffff })
const part = fc
  .array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 8 })
  .map((path) => path.join('.'))

function codeOf(decode: () => unknown): string | undefined {
  try {
    decode()
    return 'accepted'
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return error.code
    throw error
  }
}

test('encodeMessageId: returns eleven characters that decode to the position', () => {
  expect(encodeMessageId({ mailbox: 1, uid: 5 })).toBe('AAAAAQAAAAU')
  fc.assert(
    fc.property(mailboxNumber, number, (mailbox, uid) => {
      const id = encodeMessageId({ mailbox, uid })
      expect(id).toMatch(/^[A-Za-z0-9_-]{11}$/)
      expect(decodeMessageId(id)).toEqual({ mailbox, uid })
    }),
  )
})

test.each([
  ['', 'nothing'],
  ['AAAAAQAAAAV', 'leftover bits: a second spelling of AAAAAQAAAAU'],
  ['AAAAAQAAAAU=', 'padding'],
  ['AAAAAQAAAAU ', 'white space'],
  ['AAAAAQAA+AU', 'plain base64'],
  ['AAAAAQAAAA', 'too short'],
  ['AAAAAQAAAAUB', 'too long'],
  ['AAAAAAAAAAU', 'mailbox 0'],
  ['AAAAAQAAAAA', 'uid 0'],
  ['gAAAAAAAAAU', 'mailbox 2^31'],
  ['<a@b.example>', 'a Message-ID'],
])('decodeMessageId: %j is rejected: %s', (id) => {
  expect(codeOf(() => decodeMessageId(id))).toBe('InvalidId')
})

test('encodeMessageId: throws for mailbox numbers from 2^31 and UIDs from 2^32', () => {
  for (const mailbox of [0, -1, 1.5, 2 ** 31, Number.NaN])
    expect(() => encodeMessageId({ mailbox, uid: 1 })).toThrow(RangeError)
  for (const uid of [0, -1, 1.5, 2 ** 32, Number.NaN])
    expect(() => encodeMessageId({ mailbox: 1, uid })).toThrow(RangeError)
})

test('encodeTextId: keeps the parts in their order', () => {
  const parts = fc.array(part, { maxLength: 20 })
  fc.assert(
    fc.property(
      fc.record({ mailbox: mailboxNumber, uid: number, plain: parts, html: parts }),
      (position) => {
        expect(decodeTextId(encodeTextId(position))).toEqual({ ...position })
      },
    ),
  )
})

test('encodeTextId: with thousands of parts, stays within the length limit', () => {
  const parts = Array.from({ length: 5_000 }, (_, n) => `1.${n + 1}`)
  for (const [plain, html] of [
    [parts, parts],
    [[], parts],
    [parts, []],
  ] as const) {
    const id = encodeTextId({ mailbox: 1, uid: 1, plain: [...plain], html: [...html] })
    expect(id.length).toBeLessThanOrEqual(10_240)
    const decoded = decodeTextId(id)
    expect([...decoded.plain, ...decoded.html].length).toBeGreaterThan(1_000)
    expect(decoded.plain).toEqual(plain.slice(0, decoded.plain.length))
  }
})

test('encodeAttachmentId: contains the part number', () => {
  fc.assert(
    fc.property(mailboxNumber, number, part, (mailbox, uid, part) => {
      expect(decodeAttachmentId(encodeAttachmentId({ mailbox, uid, part }))).toEqual({
        mailbox,
        uid,
        part,
      })
    }),
  )
})

test('attachment and text ids: reject parts with characters of IMAP syntax', () => {
  for (const part of ['', '0', '1.', '.1', '1]\r\nA LOGOUT', '1 2', 'TEXT', '01']) {
    expect(() => encodeAttachmentId({ mailbox: 1, uid: 1, part })).toThrow(RangeError)
    const id = Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]), Buffer.from(part)])
    expect(codeOf(() => decodeAttachmentId(id.toString('base64url')))).toBe('InvalidId')
  }
})

test('decode functions: accept a text only if it is the encoding of its value', () => {
  const near = fc
    .uint8Array({ minLength: 6, maxLength: 24 })
    .map((bytes) => Buffer.from(bytes).toString('base64url'))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        near,
        near.map((id) => `${id}=`),
      ),
      (text) => {
        if (codeOf(() => decodeMessageId(text)) !== 'InvalidId')
          expect(encodeMessageId(decodeMessageId(text))).toBe(text)
        if (codeOf(() => decodeAttachmentId(text)) !== 'InvalidId')
          expect(encodeAttachmentId(decodeAttachmentId(text))).toBe(text)
        if (codeOf(() => decodeTextId(text)) !== 'InvalidId')
          expect(encodeTextId(decodeTextId(text))).toBe(text)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('encodeCursor: contains the prefix and the page', () => {
  expect(encodeCursor({ page: 3 })).toBe(`imap_${Buffer.from('{"page":3}').toString('base64url')}`)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_048_576 }), (page) => {
      expect(decodeCursor(encodeCursor({ page }))).toEqual({ page })
    }),
  )
})

test('decodeCursor: distinguishes a cursor of another account kind from an invalid one', () => {
  const of = (json: string) => `imap_${Buffer.from(json).toString('base64url')}`
  expect(codeOf(() => decodeCursor('gmail_eyJwYWdlIjoxfQ'))).toBe('InvalidCursorType')
  expect(codeOf(() => decodeCursor('outlook_eyJwYWdlIjoxfQ'))).toBe('InvalidCursorType')
  for (const cursor of [
    '',
    'imap_',
    'nonsense',
    'imap_!!',
    of('{'),
    of('null'),
    of('{"page":-1}'),
    of('{"page":1.5}'),
    of('{"page":1,"x":2}'),
    of('{"page":1e9}'),
    of('[1]'),
  ])
    expect(codeOf(() => decodeCursor(cursor))).toBe('InvalidCursorValue')
})
