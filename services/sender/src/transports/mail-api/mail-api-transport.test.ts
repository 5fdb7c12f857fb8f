import { expect, test } from '@jest/globals'
import { isAuthorReplaced } from './mail-api-transport.ts'

test.each([
  ['the same', ['me@example.com'], false],
  ['the same in other case', ['Me@Example.COM'], false],
  ['one of several', ['boss@example.com', 'me@example.com'], false],
  ['the primary address of the mailbox', ['jane@mail.example'], true],
  ['not reported', undefined, false],
])('isAuthorReplaced: author after sending is %s', (_name, from, expected) => {
  const sent = from ? { from } : {}
  expect(isAuthorReplaced(sent, { from: 'me@example.com' })).toBe(expected)
})
