import { expect, test } from '@jest/globals'
import { checkToken, type ProxyTokenUse } from './check-token.ts'
import type { TokenRow } from './store/tokens.ts'

const row: TokenRow = {
  id: 'x',
  account: null,
  scopes: ['imap-proxy'],
  restrictions: null,
  permissions: null,
  expiresAt: null,
}
const use: ProxyTokenUse = { scope: 'imap-proxy', account: 'a', address: '10.0.0.1' }
const all = ['read', 'write', 'destructive'] as const

test.each<[string, Partial<TokenRow>, string | undefined]>([
  ['without restrictions', {}, undefined],
  ['of scope *', { scopes: ['*'] }, undefined],
  ['bound to the account', { account: 'a' }, undefined],
  ['bound to another account', { account: 'b' }, 'account'],
  ['of other scopes', { scopes: ['api', 'smtp'] }, 'scope'],
  ['expiring now', { expiresAt: new Date(1_000) }, 'expired'],
  ['expiring later', { expiresAt: new Date(1_001) }, undefined],
  ['restricted to another address', { restrictions: { addresses: ['10.0.0.2'] } }, 'address'],
  [
    'restricted to another address and bound to another account',
    { account: 'b', restrictions: { addresses: ['10.0.0.2'] } },
    'account',
  ],
  [
    'with all required permissions',
    { permissions: { actions: [...all], groups: ['message', 'mailbox'] } },
    undefined,
  ],
  ['permitted to read only', { permissions: { actions: ['read'] } }, 'permission'],
  ['without mailboxes', { permissions: { groups: ['message'] } }, 'permission'],
  ['with a malformed permission record', { permissions: [] as never }, 'permission'],
  ['with an empty permission record', { permissions: {} }, 'permission'],
  [
    'with a string instead of a list',
    { permissions: { actions: 'read write destructive' as never } },
    'permission',
  ],
])('checkToken: with a token %s, returns the reason', (_case, changes, expected) => {
  expect(checkToken({ ...row, ...changes }, use, 1_000)).toBe(expected)
})

test('checkToken: for smtp, requires action send and group submit only', () => {
  const sender: TokenRow = {
    ...row,
    scopes: ['smtp'],
    permissions: { actions: ['send'], groups: ['submit'] },
  }
  expect(checkToken(sender, { ...use, scope: 'smtp' })).toBeUndefined()
})
