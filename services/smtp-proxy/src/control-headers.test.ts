import { expect, test } from '@jest/globals'
import { readControls } from './control-headers.ts'

test('readControls: maps each header to its submission field', () => {
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
])('readControls: %s: %p, rejected with the header name', (name, value) => {
  expect(() => readControls([[name, value]])).toThrow(
    expect.objectContaining({
      responseCode: 554,
      message: `5.6.0 The header ${name} has an invalid value`,
    }),
  )
})

test('readControls: unsupported or repeated header, rejected', () => {
  expect(() => readControls([['x-svc-geteway', 'relay']])).toThrow(/x-svc-geteway is not supported/)
  expect(() => readControls([['x-svc-constructor', 'x']])).toThrow(/is not supported/)
  expect(() => readControls([['x-svc-h\u0001\u00e9', 'x']])).toThrow(/x-svc-h\?\? is not supported/)
  const twice = [
    ['x-svc-account', 'a'],
    ['x-svc-account', 'a'],
  ] as const
  expect(() => readControls(twice)).toThrow(/more than once/)
})
