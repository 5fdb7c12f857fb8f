import { expect, test } from '@jest/globals'
import type { StoredOAuth2 } from '@posthorn/db'
import { assertSameMailbox } from './assert-same-mailbox.ts'

const bound = { account: 'own' }
const stored: StoredOAuth2 = { provider: 'app', auth: { user: 'me@mail.example' } }

test.each<[string, object | null, boolean]>([
  ['the same, fetched elsewhere', { ...stored, useAuthServer: true }, true],
  ['nothing of it', null, true],
  ['another user', { ...stored, auth: { user: 'you@mail.example' } }, false],
  ['another application', { ...stored, provider: 'other' }, false],
  [
    'a shared mailbox',
    { ...stored, auth: { ...stored.auth, delegatedUser: 'x@y.example' } },
    false,
  ],
  [
    'the grant of another account',
    { ...stored, auth: { ...stored.auth, delegatedAccount: 'other' } },
    false,
  ],
])('an account-bound token may make of a login by OAuth2: %s', (_what, column, allowed) => {
  const text = column && JSON.stringify(column)
  const attempt = () => assertSameMailbox(bound, stored, text)
  if (allowed) expect(attempt).not.toThrow()
  else expect(attempt).toThrow('Unauthorized account')
  expect(() => assertSameMailbox({ account: null }, stored, text)).not.toThrow()
  expect(() => assertSameMailbox(null, stored, text)).not.toThrow()
})

test('and out of a login by password it makes none', () => {
  const text = JSON.stringify(stored)
  expect(() => assertSameMailbox(bound, null, text)).toThrow('Unauthorized account')
})
