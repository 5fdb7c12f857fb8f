import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { IndexedMessage } from './indexed-message.ts'
import { decodeLeaf, encodeLeaf, leafFormats } from './leaf-content.ts'

const formats = Object.entries(leafFormats)

const id = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789abcdefABYZxyz-_=+/.')),
  minLength: 1,
  maxLength: 200,
})
const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
const labels = fc
  .uniqueArray(label, { maxLength: 5 })
  .map((list) => list.map((name) => name.toWellFormed()).sort())

const message = fc.record(
  { id, threadId: id, folderId: id, labels, unseen: fc.boolean(), flagged: fc.boolean() },
  { requiredKeys: ['id', 'labels', 'unseen', 'flagged'] },
)

function sorted(messages: readonly IndexedMessage[]): IndexedMessage[] {
  return messages.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

test.each(formats)(
  'decodeLeaf: returns the messages that encodeLeaf packed, %s',
  (_name, format) => {
    fc.assert(
      fc.property(fc.uniqueArray(message, { selector: ({ id }) => id }), (generated) => {
        const messages = sorted(generated.map((each) => ({ ...each, draft: each.flagged })))
        const decoded = decodeLeaf(encodeLeaf(messages, format))
        expect(
          decoded.map(({ labels, ...rest }) => ({ ...rest, labels: [...labels].sort() })),
        ).toEqual(messages.map(({ labels, ...rest }) => ({ ...rest, labels: [...labels].sort() })))
      }),
    )
  },
)

/**
 * Leaf (block of the message index) with three messages, and the content of the leaf as commit
 * 0f41d25d stored it.
 */
const stored = {
  messages: [
    { id: '18c2f0a1b2c3d4e5', threadId: '18c2f0a1b2c3d4e5', labels: ['INBOX', 'Label_é'] },
    { id: '18c2f0a1b2c3d4e6', threadId: '18c2f0a1b2c3d4e5', labels: [], recent: true as const },
    { id: '18c2f0a1b2c3d4f0', folderId: 'AQMk-_==', labels: ['INBOX'], unseen: true },
  ].map((each): IndexedMessage => ({ unseen: false, flagged: false, draft: false, ...each })),
  content:
    'AgMAAEEYwvChssPU5T1gA/ABAQAAAEEYwvChssPU5QAAAQUAABwhcmVjZW50AQIEABq6ex56cAEEAgAYI0lOQk9YAQUEACBMYWJlbF/DqQEBAy9BUU1rLV89PQEE',
}

test('encodeLeaf: stores content that earlier builds read', () => {
  expect(encodeLeaf(stored.messages).toString('base64')).toBe(stored.content)
  expect(decodeLeaf(Buffer.from(stored.content, 'base64'))).toEqual(stored.messages)
})

test('decodeLeaf: rejects damaged content', () => {
  const content = encodeLeaf(stored.messages)
  expect(() => decodeLeaf(content.subarray(0, content.length - 9))).toThrow('unexpected end')
  expect(() => decodeLeaf(Buffer.from([9]))).toThrow('unreadable format')
  expect(() => decodeLeaf(Buffer.alloc(0))).toThrow('unreadable format')
})

const ids = { prefix: '', lengths: [1], characters: 'a' }
const none = { prefix: '', lengths: [], characters: '' }
const columns = { ids, threads: [0], threadIds: none, rows: [] }

test.each<[damage: string, columns: unknown]>([
  ['no object', null],
  ['no columns', {}],
  ['fewer characters than lengths', { ...columns, ids: { ...ids, characters: '' } }],
  ['a negative length', { ...columns, ids: { ...ids, lengths: [2, -1] } }],
  ['a length that is no number', { ...columns, ids: { ...ids, lengths: ['1'] } }],
  ['too many messages', { ...columns, ids: { ...none, lengths: Array(40_000).fill(0) } }],
  [
    'a prefix too long for its texts',
    {
      ...columns,
      ids: { prefix: 'x'.repeat(2 ** 20), lengths: Array(100).fill(0), characters: '' },
    },
  ],
  ['rows that are no list', { ...columns, rows: 1 }],
  ['more bytes than a leaf may have', { ...columns, rows: [['x'.repeat(2 ** 25), '']] }],
])('decodeLeaf: rejects columns with %s', (_damage, content) => {
  const packed = deflateRawSync(JSON.stringify(content))
  expect(decodeLeaf(withFormat(deflateRawSync(JSON.stringify(columns))))).toHaveLength(1)
  expect(() => decodeLeaf(withFormat(packed))).toThrow('damaged columns')
})

function withFormat(packed: Buffer): Buffer {
  return Buffer.concat([Buffer.of(leafFormats.columns), packed])
}

test.each(formats)(
  'decodeLeaf: rejects damaged content or reads other messages, %s',
  (_name, format) => {
    const content = encodeLeaf(
      messagesWith((at) => [`AAMk${'x'.repeat(120)}${at}AAA=`, `AAQk${at % 3}=`]),
      format,
    )
    fc.assert(
      fc.property(fc.nat(content.length - 1), fc.nat(255), (at, byte) => {
        const damaged = Buffer.from(content)
        damaged[at] = byte
        try {
          decodeLeaf(damaged)
        } catch (error) {
          expect(String(error)).toMatch(/unexpected end|unreadable format|damaged columns/)
        }
      }),
    )
  },
)

/** Messages of a full leaf (block of the message index), with some labels and flags. */
function messagesWith(ids: (at: number) => [id: string, threadId: string]): IndexedMessage[] {
  return sorted(
    Array.from({ length: 256 }, (_, at): IndexedMessage => {
      const [id, threadId] = ids(at)
      const labels = ['INBOX', 'CATEGORY_SOCIAL', `Label_${10_000_000_000_000_000 + (at % 5)}`]
      return { id, threadId, labels, unseen: at % 3 === 0, flagged: at % 50 === 0, draft: false }
    }),
  )
}

/**
 * First bytes of a hash, which are as random as message ids of a provider but equal in each test
 * run.
 */
function randomBytes(seed: string, count: number): Buffer {
  return createHash('sha512').update(seed).digest().subarray(0, count)
}

/**
 * Message id of Exchange, which ends with the number of a change (six bytes that rise) and two zero
 * bytes.
 */
function exchangeId(at: number): string {
  const number = Buffer.alloc(8)
  number.writeUIntBE(0x222_0000 + at * 500 + randomBytes(`${at}`, 1).readUInt8(), 0, 6)
  return Buffer.concat([Buffer.alloc(105, 'mailbox '), number]).toString('base64url') + '='
}

const conversation = (name: string) =>
  `AAQk${'x'.repeat(53)}${randomBytes(name, 16).toString('base64url')}=`

test.each<[kind: string, limits: [number, number], ids: (at: number) => [string, string]]>([
  [
    'random 16-digit ids',
    [20, 19],
    (at) => [randomBytes(`${at}`, 8).toString('hex'), randomBytes(`t${at}`, 8).toString('hex')],
  ],
  [
    '152-character ids of Exchange, two messages per conversation',
    [16, 14],
    (at) => [exchangeId(at), conversation(`${at >> 1}`)],
  ],
  [
    '152-character ids, 20 of them random, each in its own conversation',
    [36, 34],
    (at) => [
      `${'x'.repeat(128)}${randomBytes(`${at}`, 15).toString('base64url')}AAA=`,
      conversation(`${at}`),
    ],
  ],
])('encodeLeaf: a message with %s takes at most %j bytes', (_kind, limits, idsOf) => {
  const messages = messagesWith(idsOf)
  for (const [at, [, format]] of formats.entries())
    expect(encodeLeaf(messages, format).length / messages.length).toBeLessThan(limits[at] ?? 0)
})
