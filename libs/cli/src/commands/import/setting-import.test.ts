import { expect, test } from '@jest/globals'
import { effectOn } from './setting-import.ts'

const other = 'the setting has another value here'

test.each([
  ['an unset setting', 'webhooks', undefined, 'https://hook.example', 'import'],
  ['a setting with its default', 'deliveryAttempts', 10, 3, 'import'],
  ['a setting with the value of the first start', 'notifyTextSize', 2_097_152, 7, 'import'],
  ['the same value', 'webhookEvents', ['*'], ['*'], 'same'],
  ['another value', 'webhookEvents', ['*'], ['messageNew'], other],
  ['the same login, masked', 'proxyUrl', 'socks://a:******@p:1', 'socks://a:x@p:1', 'same'],
  ['another host, masked', 'proxyUrl', 'socks://a:******@p:1', 'socks://a:x@q:1', other],
  ['an unset secret', 'smtpServerPassword', false, 'x'.repeat(32), 'import'],
])('effectOn: %s', (_case, name, ...[current, value, expected]) => {
  expect(effectOn(name, { current, value })).toBe(expected)
})

test('effectOn: a secret that is set here is not replaced', () => {
  const values = { current: true, value: 'x'.repeat(32) }
  expect(effectOn('imapProxyServerPassword', values)).toContain('cannot be compared')
})
