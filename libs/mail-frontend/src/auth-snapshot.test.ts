import { expect, test } from '@jest/globals'
import type { TokenRow } from '@posthorn/access'
import { terminationReason, type AuthSnapshot } from './auth-snapshot.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const token: TokenRow = {
  id: 'token',
  account: 'acc',
  scopes: ['imap-proxy'],
  permissions: null,
  restrictions: null,
  expiresAt: null,
}
const snapshot = {
  scope: 'imap-proxy',
  tokens: new Map([[token.id, token]]),
  accounts: new Set(['acc']),
  passwordRevision: '2',
} satisfies AuthSnapshot

function byToken(expiresAt: Date | null = null) {
  return { auth: { tokenId: 'token', expiresAt }, account: 'acc', address: '10.0.0.1' }
}

function byPassword(passwordRevision: string) {
  return { auth: { passwordRevision }, account: 'acc', address: '10.0.0.1' }
}

test('terminationReason: with account and token or password unchanged, returns undefined', () => {
  expect(terminationReason(byToken(), snapshot, now)).toBeUndefined()
  expect(terminationReason(byToken(new Date(now + 1)), snapshot, now)).toBeUndefined()
  expect(terminationReason(byPassword('2'), snapshot, now)).toBeUndefined()
})

test.each<[string, AuthSnapshot]>([
  ['revoked', { ...snapshot, tokens: new Map() }],
  ['restricted', { ...snapshot, tokens: new Map([['token', { ...token, scopes: ['smtp'] }]]) }],
  ['without its account', { ...snapshot, accounts: new Set() }],
])('terminationReason: with a token %s, reports withdrawn access', (_case, changed) => {
  expect(terminationReason(byToken(), changed, now)).toBe('Access was withdrawn')
})

test('terminationReason: with another server password, reports withdrawn access', () => {
  expect(terminationReason(byPassword('1'), snapshot, now)).toBe('Access was withdrawn')
})

test.each<[string, AuthSnapshot['tokens']]>([
  ['still stored', new Map([['token', { ...token, expiresAt: new Date(now) }]])],
  ['no longer stored', new Map()],
])('terminationReason: with an expired token %s, reports an expired session', (_case, tokens) => {
  expect(terminationReason(byToken(new Date(now)), { ...snapshot, tokens }, now)).toBe(
    'Session expired',
  )
})
