import { expect, test } from '@jest/globals'
import { selectionText } from './selection-text.ts'

const nouns = ['message', 'messages'] as const
const some = { keys: new Set(['a', 'b']), isAll: false }
const all = { keys: new Set<string>(), isAll: true }

test.each([
  [{ marked: some, matching: 9 }, '2 messages'],
  [{ marked: { ...some, keys: new Set(['a']) }, matching: 9 }, '1 message'],
  [{ marked: some, matching: 100_000, hasMore: true }, '2 messages'],
  [{ marked: all, matching: 9 }, '9 messages'],
  [{ marked: all, matching: 1 }, '1 message'],
  [{ marked: all, matching: undefined }, 'messages'],
  [{ marked: all, matching: 100_000, hasMore: true }, '100000 or more messages'],
])('selectionText: %j is %s', (selection, text) => {
  expect(selectionText({ ...selection, nouns })).toBe(text)
})
