import { expect, test } from '@jest/globals'
import type { TokenRow } from '@posthorn/db'
import { endingOf, type Grounds } from './door-grounds.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const token: TokenRow = {
  id: 'token',
  account: 'acc',
  scopes: ['imap-proxy'],
  permissions: null,
  restrictions: null,
  expiresAt: null,
}
const grounds = {
  scope: 'imap-proxy',
  tokens: new Map([[token.id, token]]),
  accounts: new Set(['acc']),
  passwordRevision: '2',
} satisfies Grounds

function byToken(expiresAt: Date | null = null) {
  return { key: { tokenId: 'token', expiresAt }, account: 'acc', address: '10.0.0.1' }
}

function byPassword(passwordRevision: string) {
  return { key: { passwordRevision }, account: 'acc', address: '10.0.0.1' }
}

test('a session goes on while its account, and its token or password, are as they were', () => {
  expect(endingOf(byToken(), grounds, now)).toBeUndefined()
  expect(endingOf(byToken(new Date(now + 1)), grounds, now)).toBeUndefined()
  expect(endingOf(byPassword('2'), grounds, now)).toBeUndefined()
})

test.each<[string, Grounds]>([
  ['revoked', { ...grounds, tokens: new Map() }],
  ['restricted', { ...grounds, tokens: new Map([['token', { ...token, scopes: ['smtp'] }]]) }],
  ['left without its account', { ...grounds, accounts: new Set() }],
])('a token that is %s ends its session as withdrawn', (_what, changed) => {
  expect(endingOf(byToken(), changed, now)).toBe('Access was withdrawn')
})

test('another password ends the sessions of the one before', () => {
  expect(endingOf(byPassword('1'), grounds, now)).toBe('Access was withdrawn')
})

test.each<[string, Grounds['tokens']]>([
  ['is still stored', new Map([['token', { ...token, expiresAt: new Date(now) }]])],
  ['is stored no more', new Map()],
])('a token that has come to its end and %s ends its session as expired', (_what, tokens) => {
  expect(endingOf(byToken(new Date(now)), { ...grounds, tokens }, now)).toBe('Session expired')
})
