import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { CommandParser, type Input, parserLimits } from './parser.ts'

/**
 * Parses bytes of an IMAP client whole or in pieces. Returns all inputs in order, including each
 * `continue` of a literal.
 */
function read(text: string | Buffer, pieces = [Infinity]): Input[] {
  const parser = new CommandParser()
  const inputs: Input[] = []
  let left = Buffer.from(text)
  for (let n = 0; left.length > 0; n += 1) {
    const size = Math.max(1, Math.min(pieces[n % pieces.length] ?? 1, left.length))
    parser.push(left.subarray(0, size))
    left = left.subarray(size)
    for (let input = parser.next(); input; input = parser.next()) {
      inputs.push(input)
      if (input.kind === 'end') return inputs
    }
  }
  return inputs
}

const word = (text: string) => ({ kind: 'word', text }) as const
const command = (tag: string, name: string, ...words: string[]) => ({
  kind: 'command',
  command: { tag, name, args: words.map(word) },
})

test.each([
  ['atoms', 'a LOGIN acc tok\r\n'],
  ['lower case, and a bare LF', 'a login acc tok\n'],
  ['quoted strings', 'a LOGIN "acc" "tok"\r\n'],
  ['a non-synchronising literal', 'a LOGIN {3+}\r\nacc {3+}\r\ntok\r\n'],
  ['a literal and an atom', 'a LOGIN {3+}\r\nacc tok\r\n'],
])('CommandParser: LOGIN with %s, split at every byte', (_what, text) => {
  const expected = [command('a', 'LOGIN', 'acc', 'tok')]
  for (let cut = 1; cut < text.length; cut += 1)
    expect(read(text, [cut, Infinity])).toEqual(expected)
  expect(read(text, [1])).toEqual(expected)
})

test('CommandParser: synchronizing literal, requests a continuation', () => {
  expect(read('a LOGIN {3}\r\nacc {3}\r\ntok\r\n')).toEqual([
    { kind: 'continue' },
    { kind: 'continue' },
    command('a', 'LOGIN', 'acc', 'tok'),
  ])
})

test('CommandParser: escapes, UTF-8 and parentheses', () => {
  expect(read('a LOGIN "a\\"c\\\\c" "é"\r\n')).toEqual([command('a', 'LOGIN', 'a"c\\c', 'é')])
  expect(read('a ID ("name" NIL)\r\n')).toEqual([
    {
      kind: 'command',
      command: {
        tag: 'a',
        name: 'ID',
        args: [{ kind: 'open' }, word('name'), word('NIL'), { kind: 'close' }],
      },
    },
  ])
})

test('CommandParser: literal syntax in quotes is text, inside a word invalid', () => {
  expect(read('a LOGIN acc "{3}"\r\nb NOOP\r\n')).toEqual([
    command('a', 'LOGIN', 'acc', '{3}'),
    command('b', 'NOOP'),
  ])
  expect(read('a LOGIN acc x{3}\r\nb NOOP\r\n')).toEqual([
    { kind: 'bad', tag: 'a', text: 'Invalid command' },
    command('b', 'NOOP'),
  ])
})

test('CommandParser: invalid command with a literal, skips both', () => {
  expect(read('a FOO {6+}\r\nb NOOP\r\nc NOOP\r\n')).toEqual([
    command('a', 'FOO', 'b NOOP'),
    command('c', 'NOOP'),
  ])
  expect(read('(( {6+}\r\nb NOOP\r\nc NOOP\r\n')).toEqual([
    { kind: 'bad', text: 'Invalid tag' },
    command('c', 'NOOP'),
  ])
})

test('CommandParser: oversized literal, BAD if synchronizing, otherwise end', () => {
  const size = parserLimits.literalBytes + 1
  expect(read(`a LOGIN {${size}}\r\nb NOOP\r\n`)).toEqual([
    { kind: 'bad', tag: 'a', text: '[TOOBIG] Literal too large' },
    command('b', 'NOOP'),
  ])
  for (const literal of [`{${size}+}`, '{99999999999}', '{99999999999+}', '{00000000001}'])
    expect(read(`a LOGIN ${literal}\r\n`)).toEqual([{ kind: 'end', text: 'Literal too large' }])
})

test('CommandParser: literals beyond the command limit, end the connection', () => {
  const literal = `{4000+}\r\n${'x'.repeat(4_000)} `
  expect(read(`a LOGIN ${literal.repeat(5)}\r\n`)).toEqual([
    { kind: 'end', text: 'Literal too large' },
  ])
})

test('CommandParser: endless line, ends the connection', () => {
  expect(read('a'.repeat(100_000), [1_000])).toEqual([
    { kind: 'end', text: 'Command line too long' },
  ])
  expect(read(`a NOOP ${'x'.repeat(9_000)}\r\n`)).toEqual([
    { kind: 'end', text: 'Command line too long' },
  ])
})

test.each(['a'.repeat(65), '*', 'a%', '+', '{3}'])(
  'CommandParser: invalid tag %p, is not echoed',
  (tag) => {
    expect(read(`${tag} NOOP\r\n`)).toEqual([{ kind: 'bad', text: 'Invalid tag' }])
  },
)

test.each(['GET / HTTP/1.1\r\n', 'post /x HTTP/1.0\r\na LOGIN u p\r\n', '\x16\x03\x01\x02\n'])(
  'CommandParser: foreign protocol %p, ends without a reply',
  (text) => {
    expect(read(text)).toEqual([{ kind: 'end' }])
  },
)

test('CommandParser: plain line inside a command', () => {
  const parser = new CommandParser()
  parser.push(Buffer.from('AGE'))
  expect(parser.line()).toBeNull()
  parser.push(Buffer.from('=\r\nrest'))
  expect(parser.line()).toBe('AGE=')
  expect(parser.takeRest().toString()).toBe('rest')
  parser.push(Buffer.alloc(parserLimits.lineBytes + 1, 'x'))
  expect(parser.line()).toBeUndefined()
})

test('CommandParser: random input, never throws and ignores chunk boundaries', () => {
  const bits = fc.constantFrom(
    'a ',
    'LOGIN ',
    '"',
    '\\',
    '{3}',
    '{3+}',
    '{9',
    '\r\n',
    '\n',
    '\r',
    '(',
    ')',
    '\0',
    'é',
    ' ',
  )
  const text = fc
    .array(fc.oneof(bits, fc.string()), { maxLength: 40 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (bytes, pieces) => {
        expect(read(bytes, pieces)).toEqual(read(bytes))
      },
    ),
    { numRuns: 2_000 * Number(process.env['POSTHORN_CROWD'] ?? 1) },
  )
})

test('CommandParser: random bytes, bounded memory', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 30 }), (chunks) => {
      const parser = new CommandParser()
      for (const chunk of chunks) {
        parser.push(chunk)
        let input = parser.next()
        for (; input && input.kind !== 'end'; input = parser.next());
        if (input) return
        expect(parser.pending).toBeLessThanOrEqual(parserLimits.lineBytes + 2_000)
      }
    }),
  )
})
