import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { IndexedMessage } from './indexed-message.ts'
import { decodeLeaf, encodeLeaf } from './leaf-content.ts'

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

test('decodeLeaf: returns the messages that encodeLeaf packed', () => {
  fc.assert(
    fc.property(fc.uniqueArray(message, { selector: ({ id }) => id }), (generated) => {
      const messages = sorted(generated.map((each) => ({ ...each, draft: each.flagged })))
      const decoded = decodeLeaf(encodeLeaf(messages))
      expect(
        decoded.map(({ labels, ...rest }) => ({ ...rest, labels: [...labels].sort() })),
      ).toEqual(messages.map(({ labels, ...rest }) => ({ ...rest, labels: [...labels].sort() })))
    }),
  )
})

test('decodeLeaf: rejects damaged content', () => {
  const content = encodeLeaf([
    { id: '18c2f0a1b2c3d4e5', labels: ['INBOX'], unseen: true, flagged: false, draft: false },
  ])
  expect(() => decodeLeaf(content.subarray(0, content.length - 9))).toThrow('unexpected end')
  expect(() => decodeLeaf(Buffer.from([9]))).toThrow('unreadable format')
})

test('decodeLeaf: damaged content is rejected or read as other messages', () => {
  const content = encodeLeaf(
    messagesWith((at) => [`AAMk${'x'.repeat(120)}${at}AAA=`, `AAQk${at % 3}=`]),
  )
  fc.assert(
    fc.property(fc.nat(content.length - 1), fc.nat(255), (at, byte) => {
      const damaged = Buffer.from(content)
      damaged[at] = byte
      try {
        decodeLeaf(damaged)
      } catch (error) {
        expect(String(error)).toMatch(/unexpected end|unreadable format/)
      }
    }),
  )
})

/** A full leaf of messages with some labels and flags. */
function messagesWith(ids: (at: number) => [id: string, threadId: string]): IndexedMessage[] {
  return sorted(
    Array.from({ length: 256 }, (_, at): IndexedMessage => {
      const [id, threadId] = ids(at)
      const labels = ['INBOX', 'CATEGORY_SOCIAL', `Label_${10_000_000_000_000_000 + (at % 5)}`]
      return { id, threadId, labels, unseen: at % 3 === 0, flagged: at % 50 === 0, draft: false }
    }),
  )
}

/** The first bytes of a hash: as random as the ids of a provider, but the same in each run. */
function randomBytes(seed: string, count: number): Buffer {
  return createHash('sha512').update(seed).digest().subarray(0, count)
}

/** Ids of Exchange end in the number of a change, six bytes that rise, and two zero bytes. */
function exchangeId(at: number): string {
  const number = Buffer.alloc(8)
  number.writeUIntBE(0x222_0000 + at * 500 + randomBytes(`${at}`, 1).readUInt8(), 0, 6)
  return Buffer.concat([Buffer.alloc(105, 'mailbox '), number]).toString('base64url') + '='
}

const conversation = (name: string) =>
  `AAQk${'x'.repeat(53)}${randomBytes(name, 16).toString('base64url')}=`

test.each<[kind: string, maxBytes: number, ids: (at: number) => [string, string]]>([
  [
    'random 16-digit ids',
    20,
    (at) => [randomBytes(`${at}`, 8).toString('hex'), randomBytes(`t${at}`, 8).toString('hex')],
  ],
  [
    '152-character ids of Exchange, two messages per conversation',
    16,
    (at) => [exchangeId(at), conversation(`${at >> 1}`)],
  ],
  [
    '152-character ids, 20 of them random, each in its own conversation',
    36,
    (at) => [
      `${'x'.repeat(128)}${randomBytes(`${at}`, 15).toString('base64url')}AAA=`,
      conversation(`${at}`),
    ],
  ],
])('encodeLeaf: a message with %s takes at most %d bytes', (_kind, maxBytes, ids) => {
  const messages = messagesWith(ids)
  expect(encodeLeaf(messages).length / messages.length).toBeLessThan(maxBytes)
})
