import { expect, test } from '@jest/globals'
import type { StoredOAuth2 } from '@posthorn/db'
import { assertMailboxUnchanged } from './assert-same-mailbox.ts'

const bound = { account: 'own' }
const stored: StoredOAuth2 = { provider: 'app', auth: { user: 'me@mail.example' } }
const email = 'me@mail.example'
const imap = { host: 'imap.mail.example' }
const before = { oauth2: stored, email, imap, smtp: null, proxy: null }
const byPassword = { ...before, oauth2: null }

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
  const change = { oauth2: column && JSON.stringify(column) }
  const attempt = () => assertMailboxUnchanged(bound, before, change)
  if (allowed) expect(attempt).not.toThrow()
  else expect(attempt).toThrow('Unauthorized account')
  expect(() => assertMailboxUnchanged({ account: null }, before, change)).not.toThrow()
  expect(() => assertMailboxUnchanged(null, before, change)).not.toThrow()
})

test('and out of a login by password it makes none', () => {
  const change = { oauth2: JSON.stringify(stored) }
  expect(() => assertMailboxUnchanged(bound, byPassword, change)).toThrow('Unauthorized account')
})

test('where the address is the user, it stays', () => {
  const other = { email: 'you@mail.example' }
  const byAddress = { ...before, oauth2: { provider: 'app' } }
  expect(() => assertMailboxUnchanged(bound, byAddress, other)).toThrow('Unauthorized account')
  for (const free of [before, byPassword])
    expect(() => assertMailboxUnchanged(bound, free, other)).not.toThrow()
})

test('what logs in by OAuth2 goes to no other host', () => {
  const same = { imap: JSON.stringify({ ...imap, port: 993 }) }
  const other = { imap: JSON.stringify({ host: 'evil.example' }) }
  expect(() => assertMailboxUnchanged(bound, before, same)).not.toThrow()
  expect(() => assertMailboxUnchanged(bound, byPassword, other)).not.toThrow()
  expect(() => assertMailboxUnchanged(bound, before, other)).toThrow('Unauthorized account')
  const evil = { smtp: JSON.stringify({ host: 'evil.example' }) }
  const through = { proxy: 'socks5://evil.example' }
  for (const change of [evil, through])
    expect(() => assertMailboxUnchanged(bound, before, change)).toThrow('Unauthorized account')
})
