import { expect, test } from '@jest/globals'
import { findDifference } from './compare-output.ts'

const text = (expected: string, actual: string) =>
  findDifference({ format: 'text', text: expected }, actual)
const json = (expected: unknown, actual: unknown) =>
  findDifference({ format: 'json', text: JSON.stringify(expected) }, JSON.stringify(actual))

test('findDifference: of text, ignores white space at ends and what … stands for', () => {
  expect(text('a \nb\n', 'a\nb')).toBeUndefined()
  expect(text('queue … of 3 (a+b)\n', 'queue x\ny of 3 (a+b)')).toBeUndefined()
  expect(text('a…', 'b')).toBe('the text differs')
  expect(text('a', 'a b')).toBe('the text differs')
  expect(text('a.c', 'abc')).toBe('the text differs')
})

test('findDifference: of JSON, ignores members that the page leaves out', () => {
  expect(json({ a: 1 }, { a: 1, b: 2 })).toBeUndefined()
  expect(json({ a: { b: null } }, { a: { b: null } })).toBeUndefined()
  expect(json({ a: 1, b: 2 }, { a: 1 })).toBe('the output has no b')
  expect(json({ a: { b: 1 } }, { a: { b: 2 } })).toBe('the output.a.b differs')
  expect(json({ a: null }, { a: {} })).toBe('the output.a differs')
  expect(json({ a: {} }, { a: [] })).toBe('the output.a is not an object')
})

test('findDifference: of JSON, … is any value, and any text inside a text', () => {
  expect(json({ a: '…' }, { a: { b: [1] } })).toBeUndefined()
  expect(json({ a: 'exp_…' }, { a: 'exp_1' })).toBeUndefined()
  expect(json({ a: 'exp_…' }, { a: 'ex' })).toBe('the output.a differs')
  expect(json({ a: 'exp_…' }, { a: 1 })).toBe('the output.a differs')
})

test('findDifference: of JSON, compares all items unless the last item is …', () => {
  expect(json([{ a: 1 }, 2], [{ a: 1, b: 1 }, 2])).toBeUndefined()
  expect(json([1], [1, 2])).toBe('the output has 2 items instead of 1')
  expect(json([1, '…'], [1, 2, 3])).toBeUndefined()
  expect(json(['…'], [])).toBeUndefined()
  expect(json([1, 2, '…'], [1])).toBe('the output has 1 items instead of 2')
  expect(json([1, 2], [1, 3])).toBe('the output[1] differs')
  expect(json([1], { 0: 1 })).toBe('the output is not a list')
})

test('findDifference: names output or page if one of them is not JSON', () => {
  expect(findDifference({ format: 'json', text: '{"a": 1}' }, '<html>')).toBe(
    'the output is not JSON',
  )
  expect(findDifference({ format: 'json', text: '{…}' }, '{}')).toBe(
    'the expected output is not JSON',
  )
})
