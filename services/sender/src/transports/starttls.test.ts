import { expect, test } from '@jest/globals'
import { requiresStartTls } from './starttls.ts'

test.each([
  [true, false, true, '203.0.113.5'],
  [true, false, true, '10.0.0.5'],
  [true, false, true, '2001:db8::1'],
  [true, false, true, ''],
  [false, false, true, '127.0.0.1'],
  [false, false, true, '127.8.9.1'],
  [false, false, true, '::1'],
  [false, false, true, '::ffff:127.0.0.1'],
  [false, false, false, '203.0.113.5'],
  [false, true, true, '203.0.113.5'],
])('%s: secure %s, verified %s, at %s', (...[required, secure, verifyCertificate, address]) => {
  expect(requiresStartTls({ secure, verifyCertificate }, address)).toBe(required)
})
