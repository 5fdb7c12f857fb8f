import { describe, expect, test } from '@jest/globals'
import { checkToken } from './check-token.ts'
import { hasScope, isExpired, permits, type RequiredPermission } from './permissions.ts'

const read: RequiredPermission = { action: 'read', group: 'account' }
const readMessage: RequiredPermission = { action: 'read', group: 'message' }
const send: RequiredPermission = { action: 'send', group: 'submit' }
const admin: RequiredPermission = { action: 'read', group: 'admin' }

/**
 * Permissions of each permissions record of an access token, as the API and both mail proxies
 * evaluated the record in earlier releases.
 */
const records: [string, unknown, { required: RequiredPermission[]; proxies: string[] }][] = [
  ['null', null, { required: [read, readMessage, send, admin], proxies: ['smtp', 'imap-proxy'] }],
  [
    'undefined',
    undefined,
    { required: [read, readMessage, send, admin], proxies: ['smtp', 'imap-proxy'] },
  ],
  ['an empty object', {}, { required: [], proxies: [] }],
  ['empty lists', { actions: [], groups: [] }, { required: [], proxies: [] }],
  ['an array', [], { required: [], proxies: [] }],
  ['a string', 'read account', { required: [], proxies: [] }],
  ['true', true, { required: [], proxies: [] }],
  ['null lists', { actions: null, groups: null }, { required: [], proxies: [] }],
  ['action read', { actions: ['read'] }, { required: [read, readMessage], proxies: [] }],
  ['group account', { groups: ['account'] }, { required: [read], proxies: [] }],
  ['read account', { actions: ['read'], groups: ['account'] }, { required: [read], proxies: [] }],
  [
    'read message',
    { actions: ['read'], groups: ['message'] },
    { required: [readMessage], proxies: [] },
  ],
  ['group admin', { groups: ['admin'] }, { required: [], proxies: [] }],
  ['a string of actions', { actions: 'read' }, { required: [], proxies: [] }],
  ['a string of groups', { actions: ['read'], groups: 'account' }, { required: [], proxies: [] }],
  [
    'send submit',
    { actions: ['send'], groups: ['submit'] },
    { required: [send], proxies: ['smtp'] },
  ],
  ['group submit', { groups: ['submit'] }, { required: [send], proxies: ['smtp'] }],
  [
    'all mail actions',
    { actions: ['read', 'write', 'destructive'], groups: ['message', 'mailbox'] },
    { required: [readMessage], proxies: ['imap-proxy'] },
  ],
  [
    'mail groups without destructive',
    { actions: ['read', 'write'], groups: ['message', 'mailbox'] },
    { required: [readMessage], proxies: [] },
  ],
  [
    'all actions without mailbox',
    { actions: ['read', 'write', 'destructive'], groups: ['message'] },
    { required: [readMessage], proxies: [] },
  ],
]

describe.each(records)('permission record: %s', (_name, record, expected) => {
  test('permits: returns true for the listed operations only', () => {
    const permitted = [read, readMessage, send, admin].filter((one) => permits(record, one))
    expect(permitted).toEqual(expected.required)
  })

  test('checkToken: accepts the listed proxies only', () => {
    const token = { id: 'x', account: null, scopes: ['*'], restrictions: null, expiresAt: null }
    const row = { ...token, permissions: record as never }
    const accepted = (['smtp', 'imap-proxy'] as const).filter(
      (scope) => checkToken(row, { scope, account: 'a', address: '192.0.2.1' }) === undefined,
    )
    expect(accepted).toEqual(expected.proxies)
  })
})

test('hasScope: the scope * includes every scope', () => {
  expect(hasScope({ scopes: ['*'] }, 'api')).toBe(true)
  expect(hasScope({ scopes: ['api'] }, 'api')).toBe(true)
  expect(hasScope({ scopes: ['api'] }, '*')).toBe(false)
})

test('isExpired: a token expires at its time, not after it', () => {
  expect(isExpired({ expiresAt: new Date(1_000) }, 1_000)).toBe(true)
  expect(isExpired({ expiresAt: new Date(1_001) }, 1_000)).toBe(false)
  expect(isExpired({ expiresAt: null }, 1_000)).toBe(false)
})
