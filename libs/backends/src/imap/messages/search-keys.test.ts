import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { SearchTerms } from '../../mail-session.ts'
import { compileCommand } from '../imapflow-internals.ts'
import { needsCharset, type Searchable, searchKeys } from './search-keys.ts'

const everything: Searchable = {
  modseq: true,
  objectId: true,
  gmail: true,
  within: true,
  encodeLabel: (label) => label,
  now: new Date('2024-06-01T12:00:00Z'),
}
const nothing: Searchable = {
  ...everything,
  modseq: false,
  objectId: false,
  gmail: false,
  within: false,
}

type Compiled = Parameters<typeof compileCommand>[0]

/** IMAP SEARCH commands for search terms, as the client sends them. */
function wire(terms: SearchTerms, searchable = everything): string[] {
  return searchKeys(terms, searchable).map((keys) =>
    String(
      compileCommand({ tag: 'A', command: 'SEARCH', attributes: keys as Compiled['attributes'] }),
    ),
  )
}

/**
 * Removes quoted texts and literals from an IMAP command, so that only atoms are left. Fails if the
 * remaining command is not one line.
 */
function bare(command: string): string {
  let rest = Buffer.from(command).toString('latin1')
  let words = ''
  while (rest !== '') {
    const [whole, text] = /^"((?:[^"\\\r\n]|\\["\\])*)"/.exec(rest) ?? []
    const [announced, size] = /^\{(\d+)\}\r\n/.exec(rest) ?? []
    if (text !== undefined) rest = rest.slice(whole?.length)
    else if (announced !== undefined) rest = rest.slice(announced.length + Number(size))
    else {
      words += rest[0]
      rest = rest.slice(1)
    }
  }
  expect(words).toMatch(/^[\w :.,*-]*$/)
  return words
}

test.each<[SearchTerms, string[]]>([
  [{}, ['A SEARCH ALL']],
  [{ seen: true, unseen: true }, ['A SEARCH SEEN UNSEEN']],
  [{ seen: false, draft: false, flagged: true }, ['A SEARCH UNDRAFT UNSEEN FLAGGED']],
  [{ from: 'a', larger: 0, smaller: 2 ** 40 }, ['A SEARCH FROM "a" LARGER 0 SMALLER 4294967295']],
  [{ seq: '1:10,20,*', uid: ' 5:* ' }, ['A SEARCH UID 5:* 1:10,20,*']],
  [{ header: { 'List-Id': true, 'X-A': 'b' } }, ['A SEARCH HEADER "List-Id" "" HEADER "X-A" "b"']],
  [{ since: new Date('2024-05-01') }, ['A SEARCH SINCE 1-May-2024']],
  [{ since: new Date('2024-06-01T11:00:00Z') }, ['A SEARCH YOUNGER 3600']],
  [{ before: new Date('2024-06-01T11:00:00Z') }, ['A SEARCH OLDER 3600']],
  [{ before: new Date('2024-06-02T11:00:00Z') }, ['A SEARCH BEFORE 3-Jun-2024']],
  [{ since: new Date('1900-06-02T11:00:00Z') }, ['A SEARCH SINCE 2-Jun-1900']],
  [{ sentBefore: new Date('0099-12-31T11:00:00Z') }, ['A SEARCH SENTBEFORE 1-Jan-0100']],
  [{ modseq: 2n ** 63n - 1n }, ['A SEARCH MODSEQ 9223372036854775807']],
  [{ emailIds: ['a', 'b', 'c', 'a'] }, ['A SEARCH OR EMAILID a OR EMAILID b EMAILID c']],
  [{ emailIds: ['a b', ''] }, []],
  [{ emailIds: [], from: 'x' }, []],
  [{ threadId: ')', from: 'x' }, []],
])('searchKeys: %j', (terms, commands) => {
  expect(wire(terms)).toEqual(commands)
})

test.each<SearchTerms>([
  { seq: '' },
  { seq: '0' },
  { seq: '1:' },
  { seq: '$' },
  { seq: '1 OR' },
  { seq: '1,,2' },
  { seq: '4294967296' },
  { uid: '1\r\nX LOGOUT' },
  { uid: '1:2:3' },
  { uid: '1,'.repeat(40_000) },
  { from: 'a\0b' },
  { subject: 'x'.repeat(70_000) },
  { header: { 'a b': 'x' } },
  { header: { 'a:': 'x' } },
  { header: { ä: 'x' } },
  { header: { '': 'x' } },
  { header: { 'a"\r\nX': true } },
  { header: Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`x${n}`, true])) },
  { larger: -1 },
  { smaller: 1.5 },
  { larger: Number.NaN },
  { since: new Date(Number.NaN) },
  { before: new Date(8.64e15) },
  { modseq: -1n },
  { modseq: 2n ** 63n },
  { gmailRaw: '\0' },
])('searchKeys: %p, is invalid', (terms) => {
  expect(() => searchKeys(terms, everything)).toThrow(
    expect.objectContaining({ name: 'AppError', kind: 'invalid' }),
  )
})

test.each<SearchTerms>([
  { modseq: 1n },
  { gmailRaw: 'x' },
  { labels: { has: ['x'] } },
  { labels: { not: ['x'] } },
  { emailId: 'x' },
  { threadId: 'x' },
  { emailIds: ['x'] },
])('searchKeys: %p, requires a missing extension', (terms) => {
  expect(() => searchKeys(terms, nothing)).toThrow(
    expect.objectContaining({ kind: 'unprocessable', code: 'MissingServerExtension' }),
  )
})

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 90 }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '"',
        '\\',
        '{5}\r\n',
        '{5+}\r\n',
        'A LOGOUT',
        ')',
        '(',
        '*',
        'ü',
        'NIL',
      ),
    )
    .map((pieces) => pieces.join('')),
)

test('searchKeys: any text, stays within its quotes or literal', () => {
  const name = fc.stringMatching(/^[!-9;-~]{1,20}$/)
  const terms = fc.record(
    {
      from: hostile,
      to: hostile,
      cc: hostile,
      bcc: hostile,
      subject: hostile,
      body: hostile,
      gmailRaw: hostile,
      header: fc.dictionary(name, fc.oneof(hostile, fc.constant(true as const)), { maxKeys: 3 }),
      labels: fc.record({ has: fc.array(hostile), not: fc.array(hostile) }),
      emailId: hostile,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(terms, (input) => {
      // NUL in an IMAP search text is rejected, as another test shows.
      const without = JSON.parse(JSON.stringify(input).replaceAll('\\u0000', '')) as SearchTerms
      for (const command of wire(without)) bare(command)
    }),
  )
})

test('searchKeys: any sets, ids and sizes, are atoms or rejected', () => {
  const terms = fc.record(
    {
      seq: hostile,
      uid: hostile,
      emailId: hostile,
      threadId: hostile,
      emailIds: fc.array(hostile),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(terms, (input) => {
      try {
        for (const command of wire(input)) expect(bare(command)).toBe(command)
      } catch (error) {
        expect(error).toMatchObject({ kind: 'invalid' })
      }
    }),
  )
})

test('searchKeys: long sets, splits them without loss', () => {
  const piece = fc.oneof(
    fc.integer({ min: 1, max: 0xffff_ffff }).map(String),
    fc.constantFrom('*', '7:*', '4000000000:4294967295'),
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 3_000 }), (pieces) => {
      const commands = wire({ uid: pieces.join(','), seen: true })
      const written = commands.map((line) => /^A SEARCH UID (\S+) SEEN$/.exec(line)?.[1] ?? '')
      expect(written.join(',').split(',')).toEqual(pieces)
      for (const line of commands) expect(line.length).toBeLessThan(8_000)
    }),
  )
})

test('needsCharset: is true only with non-ASCII text', () => {
  const needs = (terms: SearchTerms) => searchKeys(terms, everything).some(needsCharset)
  expect(needs({ subject: 'grüße' })).toBe(true)
  expect(needs({ header: { 'X-A': '日本' } })).toBe(true)
  expect(needs({ subject: 'x'.repeat(500), body: 'a\r\nb', from: '"' })).toBe(false)
})
