import { expect, test } from '@jest/globals'
import { assertTargetUnchanged } from './assert-same-receiver.ts'

const bound = { account: 'own' }
const kept = { key: 'Authorization', value: 'sealed~x' }
const before = { webhooks: 'https://u:sealed~y@own.example/in', webhooksCustomHeaders: [kept] }
const evil = 'https://evil.example/'
const headers = (...values: object[]) => ({ webhooksCustomHeaders: JSON.stringify(values) })

test.each<[string, object, boolean]>([
  ['elsewhere on the same server', { webhooks: 'https://own.example/other' }, true],
  ['nowhere, so that the default target gets them', { webhooks: null }, true],
  ['elsewhere', { webhooks: evil }, false],
  ['without TLS', { webhooks: 'http://own.example/in' }, false],
  [
    'elsewhere, beside new ones',
    { webhooks: evil, ...headers(kept, { key: 'X', value: 'new' }) },
    false,
  ],
  ['elsewhere, as others', { webhooks: evil, ...headers({ key: 'X', value: 'new' }) }, true],
  ['elsewhere, not at all', { webhooks: evil, ...headers() }, true],
  ['as they are', {}, true],
])('headers that were set before go, by an account-bound token, %s', (_what, change, allowed) => {
  const attempt = () => assertTargetUnchanged(bound, before, change)
  if (allowed) expect(attempt).not.toThrow()
  else expect(attempt).toThrow('Unauthorized account')
  expect(() => assertTargetUnchanged({ account: null }, before, change)).not.toThrow()
  expect(() => assertTargetUnchanged(null, before, change)).not.toThrow()
})

test('an account that had no target of its own keeps its headers for the default one', () => {
  const none = { ...before, webhooks: null }
  expect(() => assertTargetUnchanged(bound, none, { webhooks: evil })).toThrow(
    'Unauthorized account',
  )
  const bare = { webhooks: null, webhooksCustomHeaders: null }
  expect(() => assertTargetUnchanged(bound, bare, { webhooks: evil })).not.toThrow()
})
