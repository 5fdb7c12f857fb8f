import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { assertContent, assertShape } from './json-shape.ts'

const shape = (text: string) => () => assertShape(Buffer.from(text), 50_000)

test('assertShape: valid JSON passes, also with brackets and quotes in strings', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 8 }), (text) => expect(shape(text)).not.toThrow()))
  expect(
    shape(JSON.stringify(['[{'.repeat(1_000), '\\"[', '\\\\', '"'].concat('\\'.repeat(9)))),
  ).not.toThrow()
})

test('assertShape: 100 levels pass, 101 throw', () => {
  expect(shape('['.repeat(100) + ']'.repeat(100))).not.toThrow()
  expect(shape('{"a":'.repeat(101))).toThrow('nested deeper than 100')
})

test.each([
  ['elements', `[${'0,'.repeat(49_999)}`, ',0'],
  ['members in many objects', `[${'{"a":0,"b":0},'.repeat(16_666)}[`, '['],
])('assertShape: 50,000 values as %s pass, another throws', (_name, text, another) => {
  expect(shape(text)).not.toThrow()
  expect(shape(text + another)).toThrow('more than 50000 values')
})

test('assertShape: 1,000 members of one object pass, another throws', () => {
  const members = Array.from({ length: 1_000 }, (_, at) => `"${at}":[0,{"a":0}]`).join()
  expect(shape(`[0,{"to":{${members}},"b":1}]`)).not.toThrow()
  expect(shape(`[0,{"to":{${members},"x":0}}]`)).toThrow('more than 1000 members')
  expect(shape(`{${members},"x":0}`)).toThrow('An object has more than 1000 members')
})

test.each([
  ['headers', '{"text":"[{","headers":', '}'],
  ['mailMerge.1.params', '{"a":{"b":[{}]},"mailMerge":[{"params":{"c":1}},{"params":', '}]}'],
  ['a"b.2', String.raw`{"a\"b":["x",[],`, ']}'],
])('assertShape: names the object with too many members, %s', (path, before, after) => {
  const members = Array.from({ length: 1_001 }, (_, at) => `"${at}":{"a":[0]}`).join()
  const message = `"${path}" must not have more than 1000 members`
  const key = path.split('.').at(-1)
  expect(shape(`${before}{${members}}${after}`)).toThrow(
    expect.objectContaining({ message, extras: { fields: [{ path, key, message }] } }),
  )
})

test.each([
  ['white space', `[${' '.repeat(5_000_000)}]`],
  ['a number', '1'.repeat(5_000_000)],
])('assertShape: 5 MB of %s throw, in a text they pass', (_name, text) => {
  expect(shape(text)).toThrow('too much white space')
  expect(shape(JSON.stringify({ text }))).not.toThrow()
})

test('assertShape: finds the end of a text of any length after any number of backslashes', () => {
  for (const before of [0, 1, 60, 63, 64, 65, 200])
    for (let slashes = 0; slashes < 70; slashes += 1) {
      const text = `${'x'.repeat(before)}${'\\'.repeat(slashes)}"[`
      expect(shape(JSON.stringify([text.repeat(300)]))).not.toThrow()
    }
})

test('assertShape: malformed JSON passes and is left to the parser', () => {
  for (const text of ['"', '"\\', ']]]', '', '{"a']) expect(shape(text)).not.toThrow()
})

test.each(['{"__proto__":{}}', '[[{"a":{"constructor":1}}]]', '{"\\u005f_proto__":1}'])(
  'assertContent: %s throws for an unsafe name',
  (text) => {
    expect(() => assertContent(JSON.parse(text))).toThrow('is not allowed as a name')
  },
)

test('assertContent: unsafe names as values pass', () => {
  expect(() => assertContent(['__proto__', { a: 'constructor' }, null, 1])).not.toThrow()
})

test.each(['["\\u0000"]', '{"a\\u0000":1}', '["\\ud800"]'])(
  'assertContent: %s throws for text that Postgres rejects',
  (text) => {
    expect(() => assertContent(JSON.parse(text))).toThrow('Text must be Unicode')
  },
)
