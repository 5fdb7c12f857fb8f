import { expect, test } from '@jest/globals'
import { readJsonObject } from './json-object.ts'
import { InputError } from './load-state.ts'

test('readJsonObject: reads the members of an object', () => {
  expect(readJsonObject('{"account":"a"}', 'The body')).toEqual({ account: 'a' })
})

test.each([
  ['{', 'The body must be valid JSON: '],
  ['[1]', 'The body must be a JSON object.'],
  ['null', 'The body must be a JSON object.'],
])('readJsonObject: refuses %s', (text, message) => {
  expect(() => readJsonObject(text, 'The body')).toThrow(message)
  expect(() => readJsonObject(text, 'The body')).toThrow(InputError)
})
