import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { assertContent, assertShape } from './json-shape.ts'

const shape = (text: string) => () => assertShape(Buffer.from(text))

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

test('assertShape: more than 500,000 members throw', () => {
  expect(shape(`[${'0,'.repeat(600_000)}0]`)).toThrow('more than 500000 members')
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
