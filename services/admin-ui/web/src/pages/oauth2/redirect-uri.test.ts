import { expect, test } from '@jest/globals'
import { redirectUriOf } from './redirect-uri.ts'

test.each([
  ['https://mail.example', 'https://mail.example/oauth'],
  ['https://mail.example/api/', 'https://mail.example/api/oauth'],
  [null, ''],
  ['', ''],
])('redirectUriOf: of the serviceUrl %p is %p', (serviceUrl, expected) => {
  expect(redirectUriOf(serviceUrl)).toBe(expected)
})
