import { describe, expect, test } from '@jest/globals'
import { operations } from './operations/index.ts'
import {
  accountSource,
  hasScope,
  mayCallOperation,
  permits,
  permitsOperation,
  permitsProxy,
  type RequiredPermission,
} from './token-rights.ts'

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

describe.each(records)('permissions record: %s', (_name, record, expected) => {
  test('permits: returns true for the listed permissions only', () => {
    const permitted = [read, readMessage, send, admin].filter((one) => permits(record, one))
    expect(permitted).toEqual(expected.required)
  })

  test('permitsProxy: returns true for the listed proxies only', () => {
    const scopes = ['smtp', 'imap-proxy'] as const
    expect(scopes.filter((scope) => permitsProxy(record, scope))).toEqual(expected.proxies)
  })
})

test.each<[unknown, boolean, boolean]>([
  [null, true, true],
  [{ actions: ['read', 'write'] }, true, false],
  [{ actions: ['write'] }, false, false],
  [{ actions: ['read'], groups: ['account'] }, false, false],
  [{ groups: ['account'] }, false, false],
  [{ actions: 'read' }, false, false],
  ['read', false, false],
])('permitsOperation: %j reads settings: %s, changes settings: %s', (record, reads, changes) => {
  expect([
    permitsOperation(record, operations.getSettings),
    permitsOperation(record, operations.updateSettings),
  ]).toEqual([reads, changes])
})

test('hasScope: the scope * includes every scope', () => {
  expect(hasScope({ scopes: ['*'] }, 'api')).toBe(true)
  expect(hasScope({ scopes: ['api'] }, 'api')).toBe(true)
  expect(hasScope({ scopes: ['api'] }, '*')).toBe(false)
})

test.each([
  ['getAccount', 'path'],
  ['listTokens', 'query'],
  ['getTemplate', 'handler'],
  ['listAccounts', undefined],
] as const)('accountSource: of %s is %s', (id, source) => {
  expect(accountSource(operations[id])).toBe(source)
})

describe('mayCallOperation', () => {
  const unlimited = { scopes: ['api'], account: null, permissions: null }
  const reader = { ...unlimited, permissions: { actions: ['read'] } }

  test('scope: operations for operators need the scope *', () => {
    expect(mayCallOperation(unlimited, operations.listFindings)).toBe(false)
    expect(mayCallOperation({ ...unlimited, scopes: ['*'] }, operations.listFindings)).toBe(true)
    expect(mayCallOperation({ ...unlimited, scopes: ['smtp'] }, operations.getAccount)).toBe(false)
  })

  test('permissions: limit the operations, and never permit the group admin', () => {
    expect(mayCallOperation(reader, operations.getMessage)).toBe(true)
    expect(mayCallOperation(reader, operations.deleteMessage)).toBe(false)
    expect(mayCallOperation(unlimited, operations.createToken)).toBe(true)
    expect(mayCallOperation(reader, operations.listTokens)).toBe(false)
  })

  test('account: a token bound to an account may only call operations that name an account', () => {
    const bound = { ...unlimited, account: 'anna' }
    expect(mayCallOperation(bound, operations.getAccount)).toBe(true)
    expect(mayCallOperation(bound, operations.listAccounts)).toBe(false)
  })
})
