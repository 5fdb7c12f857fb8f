import { expect, test } from '@jest/globals'
import { loginCommand } from './upstream-login.ts'

test('words between quotes where they fit, with what would end them escaped', () => {
  expect(loginCommand(['user', 'p"a\\s s'], false)).toEqual(['LOGIN "user" "p\\"a\\\\s s"'])
})

test('what could end the line is a literal', () => {
  expect(loginCommand(['usér', 'p\r\nA1 LOGOUT'], false)).toEqual([
    'LOGIN {5}',
    'usér {12}',
    'p\r\nA1 LOGOUT',
  ])
  expect(loginCommand(['user', 'é'], true)).toEqual(['LOGIN "user" {2+}\r\né'])
})
