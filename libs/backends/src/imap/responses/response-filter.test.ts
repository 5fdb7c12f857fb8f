import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { parseLine } from '../imapflow-internals.ts'
import { requestedBytes } from './requested-bytes.ts'
import { fetchLimits } from './limits.ts'
import { ResponseFilter } from './response-filter.ts'

const address = '("n" NIL "a" "b.test")'
const part = '("text" "plain" ("charset" "utf-8") NIL NIL "7bit" 10 1 NIL NIL NIL NIL)'

function envelope(to: string): string {
  return `* 1 FETCH (UID 7 FLAGS (\\Seen) ENVELOPE ("date" "subject" (${address}) NIL NIL (${to}) NIL NIL "<2@x>" "<1@x>") RFC822.SIZE 9)\r\n`
}

function structure(body: string): string {
  return `* 1 FETCH (UID 7 BODYSTRUCTURE ${body} ENVELOPE (NIL "s" NIL NIL NIL NIL NIL NIL NIL "<1@x>"))\r\n`
}

function filtered(input: string | Buffer, chunkBytes = 65_536): string {
  const filter = new ResponseFilter()
  const bytes = Buffer.from(input)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes)
    pieces.push(...filter.push(bytes.subarray(at, at + chunkBytes)))
  return Buffer.concat(pieces).toString()
}

/** Tokens of a FETCH response as imapflow reads them, and the data items by name. */
async function parseFetch(line: string): Promise<{ tokens: number; items: Map<string, unknown> }> {
  const literals: Buffer[] = []
  let rest = line
  let text = ''
  for (;;) {
    const [head = '', length] = /^[^]*?\{(\d+)\}\r\n/.exec(rest) ?? []
    if (length === undefined) break
    text += head
    literals.push(Buffer.from(rest.slice(head.length, head.length + Number(length))))
    rest = rest.slice(head.length + Number(length))
  }
  const { attributes = [] } = await parseLine((text + rest).trimEnd(), { literals })
  let tokens = 0
  const valueOf = (token: unknown): unknown => {
    tokens++
    if (Array.isArray(token)) return token.map(valueOf)
    return (token as { value?: unknown } | null)?.value?.toString() ?? null
  }
  const list = valueOf(attributes[1]) as unknown[]
  const items = new Map<string, unknown>()
  for (let at = 0; at < list.length; at += 2) items.set(String(list[at]), list[at + 1])
  return { tokens, items }
}

async function itemsOf(line: string): Promise<Map<string, unknown>> {
  return (await parseFetch(line)).items
}

test.each([
  ['greeting', '* OK [CAPABILITY IMAP4rev1] ready\r\n'],
  ['tagged', 'A1 NO [CANNOT] not (now) "\r\n'],
  ['list', '* LIST (\\HasNoChildren) "/" {5}\r\nIN(OX\r\n'],
  ['message', envelope(address.repeat(50))],
  ['literals', '* 2 FETCH (UID 1 BODY[HEADER]<0> {6}\r\na)"\r\nb FLAGS (x [y] "z"))\r\n'],
  ['parts', structure(`(${part}${part} "mixed" ("boundary" "\\"(") NIL NIL)`)],
  ['search', `* SEARCH${' 123456'.repeat(30_000)}\r\n`],
  ['two', `* 5 EXISTS\r\n${envelope(address)}* 4 EXPUNGE\r\nA2 OK done\r\n`],
  ['invalid', '* 1 FETCH (UID 1 BODYSTRUCTURE (("text"\r\n* 2 EXISTS\r\n+ idling\r\n\r\n'],
])('ResponseFilter: %s, passes unchanged', (_, input) => {
  for (const chunkBytes of [65_536, 7, 1]) expect(filtered(input, chunkBytes)).toBe(input)
})

test('ResponseFilter: 50,000 recipients, keeps the first and all other fields', async () => {
  const items = await itemsOf(filtered(envelope(address.repeat(50_000))))
  const [date, subject, from, , , to, , , inReplyTo, messageId] = items.get('ENVELOPE') as unknown[]
  expect([date, subject, inReplyTo, messageId]).toEqual(['date', 'subject', '<2@x>', '<1@x>'])
  expect(from).toEqual([['n', null, 'a', 'b.test']])
  expect((to as unknown[]).length).toBeGreaterThan(1_500)
  expect((to as unknown[]).length).toBeLessThanOrEqual(fetchLimits.itemTokens / 5)
  expect(items.get('RFC822.SIZE')).toBe('9')
  expect(items.has('BODY')).toBe(true)
})

test('ResponseFilter: 10,000 parts, keeps the first and the envelope', async () => {
  const items = await itemsOf(
    filtered(structure(`(${part.repeat(10_000)} "mixed" NIL NIL NIL NIL)`)),
  )
  const parts = items.get('BODYSTRUCTURE') as unknown[]
  const subtype = parts.findIndex((each) => !Array.isArray(each))
  expect(subtype).toBeGreaterThan(400)
  expect(parts.slice(subtype)).toEqual(['mixed', null, null, null, null])
  expect(parts.slice(0, subtype).every((each) => Array.isArray(each) && each.length === 12)).toBe(
    true,
  )
  expect((items.get('ENVELOPE') as unknown[])[9]).toBe('<1@x>')
})

test.each([
  ['languages', `("text" "plain" NIL NIL NIL "7bit" 1 1 NIL NIL (${'"en" '.repeat(130_000)}) NIL)`],
  ['parameters', `("text" "plain" (${'"a" "b" '.repeat(100_000)}) NIL NIL "7bit" 1 1)`],
  ['empty lists', `(${'()'.repeat(100_000)} "mixed")`],
  ['nested lists', `${'('.repeat(100_000)}${')'.repeat(100_000)}`],
  ['nested parts', `${'('.repeat(80)}${part.repeat(9_000)}${' "mixed")'.repeat(80)}`],
  ['a long string', `("text" "${'\\"'.repeat(500_000)}" NIL NIL NIL "7bit" 1 1)`],
  ['a long literal', `("text" {3000000}\r\n${'x'.repeat(3_000_000)} NIL NIL NIL "7bit" 1 1)`],
  ['many literals', `("text" "plain" (${'{1}\r\na '.repeat(30_000)}) NIL NIL "7bit" 1 1)`],
  ['a long atom', `("text" ${'x'.repeat(1_000_000)} NIL NIL NIL "7bit" 1 1)`],
])('ResponseFilter: %s, cut within the limits and marked', async (_, body) => {
  const whole = filtered(structure(body))
  expect(whole.length).toBeLessThan(400_000)
  const parsed = await parseFetch(whole)
  expect(parsed.tokens).toBeLessThan(2 * fetchLimits.tokens)
  expect(parsed.items.get('UID')).toBe('7')
  expect(parsed.items.has('BODY')).toBe(true)
  expect((parsed.items.get('ENVELOPE') as unknown[])[1]).toBe('s')
  expect(filtered(structure(body), 1_009)).toBe(whole)
})

test('ResponseFilter: many large responses to one command, keeps less of later ones', async () => {
  const input = envelope(address.repeat(3_000))
  const output = filtered(input.repeat(100))
  const lines = output.split('\r\n').slice(0, -1)
  expect(lines).toHaveLength(100)
  const last = await itemsOf(`${lines.at(-1)}\r\n`)
  expect((last.get('ENVELOPE') as unknown[])[1]).toBe('subject')
  expect(output.length).toBeLessThan(input.length * 60)
})

const header = (length: number) => [
  { type: 'SEQUENCE', value: '1' },
  [
    {
      type: 'ATOM',
      value: 'BODY.PEEK',
      section: [{ type: 'ATOM', value: 'HEADER' }],
      partial: [0, length],
    },
  ],
]

test('ResponseFilter: header longer than requested, keeps the requested bytes', async () => {
  const filter = new ResponseFilter()
  filter.startCommand(requestedBytes(header(262_144)))
  const text = 'x'.repeat(1_000_000)
  const [out] = filter.push(
    Buffer.from(`* 1 FETCH (BODY[HEADER]<0> {1000000}\r\n${text} UID 7)\r\n`),
  )
  expect(out?.toString()).toBe(
    `* 1 FETCH (BODY[HEADER]<0> {262144}\r\n${text.slice(0, 262_144)} UID 7)\r\n`,
  )
})

/** Arguments of an IMAP FETCH command for the first bytes of body sections. */
const fetchOf = (messages: string, ...sections: readonly (readonly [string, number])[]) => [
  { type: 'SEQUENCE', value: messages },
  sections.map(([value, length]) => ({
    type: 'ATOM',
    value: 'BODY.PEEK',
    section: [{ type: 'ATOM', value }],
    partial: [0, length],
  })),
]

test('ResponseFilter: sections of one byte, keeps the names of the sections after them', () => {
  const filter = new ResponseFilter()
  filter.startCommand(requestedBytes(fetchOf('7', ['1.2', 1], ['TEXT', 1])))
  const response =
    '* 1 FETCH (BODY[1.2]<0> {1}\r\nx BODY[TEXT]<0> "y" RFC822.SIZE 12345 FLAGS ())\r\n'
  expect(Buffer.concat(filter.push(Buffer.from(response))).toString()).toBe(response)
})

test('ResponseFilter: header and sections longer than requested, keeps the requested bytes', () => {
  const filter = new ResponseFilter()
  filter.startCommand(requestedBytes(fetchOf('1:2', ['HEADER', 300], ['TEXT', 20], ['1.2', 30])))
  const text = 'x'.repeat(400)
  const response = (...lengths: readonly number[]) =>
    `* 1 FETCH (UID 7 BODY[HEADER]<0> {${lengths[0]}}\r\n${text.slice(0, lengths[0])} body[text] {${lengths[1]}}\r\n${text.slice(0, lengths[1])} BODY[1.2]<0> "${text.slice(0, lengths[2])}" FLAGS (\\Seen))\r\n`
  for (const bytes of [65_536, 1]) {
    const input = Buffer.from(response(400, 400, 400))
    const pieces: Buffer[] = []
    for (let at = 0; at < input.length; at += bytes)
      pieces.push(...filter.push(input.subarray(at, at + bytes)))
    expect(Buffer.concat(pieces).toString()).toBe(response(300, 20, 30))
  }
})

test.each([
  ['one section of several messages', '1,3', ['1'], 20],
  ['several sections of a message', '1', ['1', '2'], 20],
  ['one section of a message', '1', ['1'], 200_000],
])('ResponseFilter: %s, longer than requested', (...[, messages, sections, kept]) => {
  const filter = new ResponseFilter()
  filter.startCommand(
    requestedBytes(fetchOf(messages, ...sections.map((section) => [section, 20] as const))),
  )
  const text = 'x'.repeat(200_000)
  const out = filter.push(Buffer.from(`* 1 FETCH (BODY[1]<0> {200000}\r\n${text})\r\n`))
  expect(Buffer.concat(out).toString()).toBe(
    `* 1 FETCH (BODY[1]<0> {${kept}}\r\n${text.slice(0, kept)})\r\n`,
  )
})

test.each([
  ['header', header(262_144), '* 1 FETCH (BODY[HEADER]<0> {62000000}\r\n', 'LiteralTooLarge'],
  ['without content', [], '* 1 FETCH (BODY[] {62000000}\r\n', 'LiteralTooLarge'],
  ['list', [], '* LIST () "/" {62000000}\r\n', 'LiteralTooLarge'],
  ['flood of items', [], `* 1 FETCH (${'UID 1 '.repeat(1_000)})\r\n`, 'TooManyTokens'],
])('ResponseFilter: %s, more than requested fails', (...[, requested, input, code]) => {
  const filter = new ResponseFilter()
  filter.startCommand(requestedBytes(requested))
  expect(() => filter.push(Buffer.from(input))).toThrow(expect.objectContaining({ code }))
})

test('ResponseFilter: long lines of other responses, are cut and end', () => {
  const long = `* OK [X ${'{5} '.repeat(500_000)}`
  const output = filtered(`${long}\r\n* 2 EXISTS\r\n`)
  expect(output.length).toBeLessThan(200_000)
  expect(output.endsWith(' \n* 2 EXISTS\r\n')).toBe(true)
})

test('ResponseFilter: sequence sets of ESEARCH and VANISHED, are quoted', () => {
  expect(filtered('* ESEARCH (TAG "A") UID COUNT 3 ALL 1:2,9\r\n', 1)).toBe(
    '* ESEARCH (TAG "A") UID COUNT "3" ALL "1:2,9"\r\n',
  )
  expect(filtered('* VANISHED (EARLIER) 41,43:116\r\n* VANISHED 5\r\n', 1)).toBe(
    '* VANISHED (EARLIER) "41,43:116"\r\n* VANISHED "5"\r\n',
  )
})

test('ResponseFilter: large responses, one piece for each before a tick of the event loop', () => {
  const filter = new ResponseFilter()
  const line = envelope(address.repeat(300))
  const pieces = filter.push(Buffer.from(`${line.repeat(3)}A1 OK done\r\nextra`))
  expect(pieces.map(String)).toEqual([line, line, line, 'A1 OK done\r\nextra'])
})

const token = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '(',
      ')',
      ' ',
      '"',
      '\\',
      'NIL',
      '[',
      ']',
      '<',
      '{5}',
      '{5}\r\n',
      '{0}\r\n',
      '{',
      '\0',
      '\r',
      '~',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"a"',
      '("a" "b")',
      '{3}\r\nabc',
      'ENVELOPE',
      'BODY[1]',
      '\r\n* 1 FETCH (',
      '\r\n* 2 EXISTS\r\n',
      '\r\nA1 OK x\r\n',
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 400 }).map((n) => '("a" "b")'.repeat(n * 10)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 400 }).map((n) => '('.repeat(n)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }).map((n) => 'x'.repeat(n * 1_000)) },
)

test('ResponseFilter: random input, the same output for all chunks, and frames as imapflow', () => {
  const inputs = fc
    .array(token, { maxLength: 60 })
    .map((tokens) => `* 1 FETCH (UID 1 ${tokens.join('')}\r\n`)
  const lengths = fc.integer({ min: 1, max: 900 })
  fc.assert(
    fc.property(inputs, lengths, (input, chunkBytes) => {
      const run = (bytes: number) => {
        try {
          return filtered(input, bytes)
        } catch (error) {
          return (error as { code: string }).code
        }
      }
      const output = run(65_536)
      expect(run(chunkBytes)).toBe(output)
      expect(output.length).toBeLessThanOrEqual(input.length + 1_000)
      // The filtered output has as many IMAP responses as the input: the filter and imapflow find
      // the same ends of lines and literals.
      if (!/^[A-Z]\w+$/.test(output)) expect(framesOf(output)).toBe(framesOf(input))
    }),
    { seed: 75, numRuns: 300 },
  )
})

/**
 * Number of complete IMAP responses in the input. As in imapflow, a line that ends with the marker
 * of a literal continues after the literal.
 */
function framesOf(input: string): number {
  let frames = 0
  for (let at = 0; at < input.length;) {
    const end = input.indexOf('\n', at)
    if (end < 0) break
    const [, length] = /\{(\d+)\}\r?\n$/.exec(input.slice(at, end + 1)) ?? []
    if (length === undefined) frames++
    at = end + 1 + Number(length ?? 0)
  }
  return frames
}
