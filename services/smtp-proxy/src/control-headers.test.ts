import { expect, test } from '@jest/globals'
import { controlReader } from './control-headers.ts'

const { read: readControls } = controlReader()

test('controlReader: maps each header to its submission field', () => {
  const headers = [
    ['x-svc-account', 'acc'],
    ['x-svc-idempotency-key', 'k'],
    ['x-svc-send-at', '2026-12-01T10:00:00+02:00'],
    ['x-svc-delivery-attempts', '3'],
    ['x-svc-gateway', 'relay'],
    ['x-svc-local-address', '192.0.2.1'],
    ['x-svc-copy', 'False'],
    ['x-svc-sent-mail-path', 'Gesendet/Überall'],
  ] as const
  expect(readControls(headers)).toEqual({
    account: 'acc',
    idempotencyKey: 'k',
    sendAt: new Date('2026-12-01T08:00:00Z'),
    deliveryAttempts: 3,
    gateway: 'relay',
    localAddress: '192.0.2.1',
    copy: false,
    sentMailPath: 'Gesendet/Überall',
  })
})

test.each([
  ['x-svc-account', ''],
  ['x-svc-account', 'a'.repeat(257)],
  ['x-svc-account', 'a\0b'],
  ['x-svc-idempotency-key', 'k'.repeat(1025)],
  ['x-svc-send-at', 'tomorrow'],
  ['x-svc-send-at', '2026-02-30'],
  ['x-svc-delivery-attempts', '0'],
  ['x-svc-delivery-attempts', '101'],
  ['x-svc-delivery-attempts', '1e1'],
  ['x-svc-local-address', 'localhost'],
  ['x-svc-copy', 'maybe'],
])('controlReader: %s: %p, rejected with the header name', (name, value) => {
  expect(() => readControls([[name, value]])).toThrow(
    expect.objectContaining({
      responseCode: 554,
      message: `5.6.0 The header ${name} has an invalid value`,
    }),
  )
})

test('controlReader: unsupported or repeated header, rejected', () => {
  expect(() => readControls([['x-svc-geteway', 'relay']])).toThrow(/x-svc-geteway is not supported/)
  expect(() => readControls([['x-svc-constructor', 'x']])).toThrow(/is not supported/)
  expect(() => readControls([['x-svc-h\u0001\u00e9', 'x']])).toThrow(/x-svc-h\?\? is not supported/)
  const twice = [
    ['x-svc-account', 'a'],
    ['x-svc-account', 'a'],
  ] as const
  expect(() => readControls(twice)).toThrow(/more than once/)
})

test('controlReader: with an alias, reads account and idempotency key of both prefixes', () => {
  const { isControl, read } = controlReader('X-EE-')
  const alias = [
    ['x-ee-account', 'moved'],
    ['x-ee-idempotency-key', 'old'],
  ] as const
  expect(read(alias)).toEqual({ aliasAccount: 'moved', idempotencyKey: 'old' })
  const own = [
    ['x-svc-account', 'acc'],
    ['x-svc-idempotency-key', 'new'],
  ] as const
  const both = { account: 'acc', aliasAccount: 'moved', idempotencyKey: 'new' }
  expect(read([...own, ...alias])).toEqual(both)
  expect(read([...alias, ...own])).toEqual(both)
  const names = [...alias, ...own].map(([name]) => name)
  expect(names.filter((name) => !isControl(name))).toEqual([])
})

test('controlReader: other headers with the alias prefix are no control headers', () => {
  const { isControl } = controlReader('X-EE-')
  for (const name of ['x-ee-send-at', 'x-ee-', 'x-ee-constructor', 'x-ee-account-2', 'account'])
    expect(isControl(name)).toBe(false)
  expect(controlReader().isControl('x-ee-account')).toBe(false)
  expect(controlReader('').isControl('account')).toBe(false)
})

test('controlReader: an empty alias header counts as absent; repeated or invalid, rejected', () => {
  const { read } = controlReader('X-EE-')
  expect(read([['x-ee-account', '']])).toEqual({})
  expect(() => read([['x-ee-account', 'a'.repeat(257)]])).toThrow(/x-ee-account has an invalid/)
  const twice = [
    ['x-ee-idempotency-key', 'a'],
    ['x-ee-idempotency-key', 'b'],
  ] as const
  expect(() => read(twice)).toThrow(/x-ee-idempotency-key occurs more than once/)
})

test('controlReader: after a login, the alias of the account is ignored with any value', () => {
  const { isControl, read } = controlReader('X-EE-', { hasLogin: true })
  const headers = [
    ['x-ee-account', 'a'.repeat(257)],
    ['x-ee-account', 'moved'],
    ['x-ee-idempotency-key', 'k'],
    ['x-svc-account', 'acc'],
  ] as const
  expect(read(headers)).toEqual({ account: 'acc', idempotencyKey: 'k' })
  expect(isControl('x-ee-account')).toBe(true)
  expect(() => read([['x-svc-account', 'a'.repeat(257)]])).toThrow(/x-svc-account has an invalid/)
})
