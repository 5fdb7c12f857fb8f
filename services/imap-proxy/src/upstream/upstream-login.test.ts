import { expect, test } from '@jest/globals'
import { loginCommand } from './upstream-login.ts'

test('loginCommand: printable words, quoted and escaped', () => {
  expect(loginCommand(['user', 'p"a\\s s'], false)).toEqual(['LOGIN "user" "p\\"a\\\\s s"'])
})

test('loginCommand: words that cannot be quoted, sent as literals', () => {
  expect(loginCommand(['usér', 'p\r\nA1 LOGOUT'], false)).toEqual([
    'LOGIN {5}',
    'usér {12}',
    'p\r\nA1 LOGOUT',
  ])
  expect(loginCommand(['user', 'é'], true)).toEqual(['LOGIN "user" {2+}\r\né'])
})
