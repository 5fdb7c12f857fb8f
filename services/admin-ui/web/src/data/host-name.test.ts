import { expect, test } from '@jest/globals'
import { isIpAddress } from './host-name.ts'

test.each([
  ['127.0.0.1', true],
  ['[::1]', true],
  ['localhost', false],
  ['10.example.com', false],
  ['1.2.3.4.example', false],
])('isIpAddress: %s is %s', (hostname, expected) => {
  expect(isIpAddress(hostname)).toBe(expected)
})
