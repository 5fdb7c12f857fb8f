import { expect, test } from '@jest/globals'
import { addressAllowed, refusalOf, type TokenRow, type TokenUse } from './access.ts'

const row: TokenRow = {
  id: 'x',
  account: null,
  scopes: ['imap-proxy'],
  restrictions: null,
  permissions: null,
  expiresAt: null,
}
const use: TokenUse = { scope: 'imap-proxy', account: 'a', address: '10.0.0.1' }
const all = ['read', 'write', 'destructive'] as const

test.each<[string, Partial<TokenRow>, string | undefined]>([
  ['as it should be', {}, undefined],
  ['every scope', { scopes: ['*'] }, undefined],
  ['bound to the account', { account: 'a' }, undefined],
  ['bound to another', { account: 'b' }, 'account'],
  ['only for the API', { scopes: ['api', 'smtp'] }, 'scope'],
  ['ending now', { expiresAt: new Date(1_000) }, 'expired'],
  ['ending later', { expiresAt: new Date(1_001) }, undefined],
  ['from elsewhere', { restrictions: { addresses: ['10.0.0.2'] } }, 'address'],
  [
    'from elsewhere and bound to another',
    { account: 'b', restrictions: { addresses: ['10.0.0.2'] } },
    'account',
  ],
  [
    'with all it takes',
    { permissions: { actions: [...all], groups: ['message', 'mailbox'] } },
    undefined,
  ],
  ['read only', { permissions: { actions: ['read'] } }, 'permission'],
  ['without mailboxes', { permissions: { groups: ['message'] } }, 'permission'],
  ['with an unreadable record', { permissions: [] as never }, 'permission'],
  ['with an empty record', { permissions: {} }, 'permission'],
  [
    'with a word for a list',
    { permissions: { actions: 'read write destructive' as never } },
    'permission',
  ],
])('a token %s', (_what, changes, expected) => {
  expect(refusalOf({ ...row, ...changes }, use, 1_000)).toBe(expected)
})

test('sending needs send and submit, no more', () => {
  const sender: TokenRow = {
    ...row,
    scopes: ['smtp'],
    permissions: { actions: ['send'], groups: ['submit'] },
  }
  expect(refusalOf(sender, { ...use, scope: 'smtp' })).toBeUndefined()
})

test.each([
  [undefined, '1.2.3.4', true],
  [[], '1.2.3.4', true],
  [['1.2.3.4'], '1.2.3.4', true],
  [['1.2.3.0/24'], '1.2.3.4', true],
  [['1.2.3.0/24'], '1.2.4.4', false],
  [['2001:db8::/32'], '2001:db8::1', true],
  [['127.0.0.1'], '::ffff:127.0.0.1', true],
  [['0.0.0.0/0'], '9.9.9.9', true],
  [['nonsense', '1.2.3.4/99', '1.2.3.4/'], '1.2.3.4', false],
  [['1.2.3.4'], 'nonsense', false],
])('%p admits %s: %p', (ranges, address, expected) => {
  expect(addressAllowed(ranges, address)).toBe(expected)
})
