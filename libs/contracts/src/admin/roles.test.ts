import { describe, expect, test } from '@jest/globals'
import { allOperations } from '../operations/index.ts'
import { privilegedSettings } from '../settings/settings.ts'
import { isOwnersSetting } from './input-rights.ts'
import { operationRights } from './operation-rights.ts'
import {
  adminRoles,
  mayCall,
  mayShowMail,
  needsStepUp,
  readsMail,
  requiredRoleOf,
} from './roles.ts'

const ids = allOperations.map(({ id }) => id)

describe('operationRights', () => {
  test('every operation has a row, and every row an operation', () => {
    expect(Object.keys(operationRights).sort()).toEqual([...ids].sort())
  })

  test.each(allOperations.map(({ id, permission }) => [id, permission.action] as const))(
    '%s (%s): is for owners, and for operators if for any other role; auditors change nothing',
    (id, action) => {
      expect(mayCall('owner', id)).toBe(true)
      if (mayCall('support', id)) expect(mayCall('operator', id)).toBe(true)
      if (action !== 'read') expect(mayCall('auditor', id)).toBe(false)
      if (mayCall('auditor', id)) expect(mayCall('operator', id)).toBe(true)
    },
  )

  test('owners only: exports of all secrets, keys and tokens of operators', () => {
    expect(ids.filter((id) => !mayCall('operator', id)).sort()).toEqual([
      'createOperatorToken',
      'exportAccounts',
      'importLinkKey',
    ])
  })

  test('mail: every operation that returns messages, protocol logs or a login to the mailbox', () => {
    expect(ids.filter((id) => readsMail(id)).sort()).toEqual([
      'downloadExport',
      'getAttachment',
      'getLogs',
      'getMessage',
      'getMessageSource',
      'getOAuthToken',
      'getText',
      'listMessages',
      'searchMessages',
    ])
    expect(ids.filter((id) => mayShowMail(id) && !readsMail(id))).toEqual([
      'getEvent',
      'getWebhookDelivery',
      'listWebhookRouteErrors',
    ])
  })

  test('step-up: imports, keys, tokens of operators and deletions of more than one', () => {
    expect(ids.filter((id) => needsStepUp(id)).sort()).toEqual([
      'createOperatorToken',
      'deleteMailbox',
      'deleteMessages',
      'exportAccounts',
      'flushTemplates',
      'getOAuthToken',
      'importAccounts',
      'importLinkKey',
      'importTokens',
    ])
  })

  test('an unknown operation is for no role', () => {
    for (const id of ['unknown', 'toString', '__proto__'])
      expect(adminRoles.filter((role) => mayCall(role, id))).toEqual([])
    expect(requiredRoleOf('unknown')).toBe('owner')
  })
})

test.each([
  ['importLinkKey', 'owner'],
  ['createAccount', 'operator'],
  ['reconnectAccount', 'support'],
  ['getSettings', 'auditor'],
  ['listAccounts', 'auditor'],
])('requiredRoleOf: %s, %s', (id, role) => {
  expect(requiredRoleOf(id)).toBe(role)
})

const read = { actions: ['read'] }

test.each<[string, object, string]>([
  ['getMessage', { query: { markAsSeen: false } }, 'auditor mail'],
  ['getEvent', { query: {} }, 'auditor'],
  ['getEvent', { query: { payload: true } }, 'auditor mail'],
  ['getEvent', { query: { payload: 'true' } }, 'auditor mail'],
  ['getMessage', { query: { markAsSeen: true } }, 'operator mail'],
  ['getMessage', { query: { markAsSeen: 'true' } }, 'operator mail'],
  ['submitMessage', { body: { to: [], attachments: [{ content: '' }] } }, 'operator'],
  ['submitMessage', { body: { reference: { message: 'AAAA' } } }, 'operator mail'],
  ['submitMessage', { body: { attachments: [{ reference: 'AAAA' }] } }, 'operator mail'],
  ['uploadMessage', { body: { reference: { message: 'AAAA' } } }, 'operator mail'],
  ['submitDraft', { body: {} }, 'operator'],
  ['submitDraft', { body: { envelope: { to: ['a@example.com'] } } }, 'operator mail'],
  ['updateSettings', { body: { notifyText: true } }, 'operator'],
  ['updateSettings', { body: { notifyText: true, imapProxyServerPort: 993 } }, 'owner stepUp'],
  ['updateSettings', { body: { smtpServerPassword: null } }, 'owner stepUp'],
  ['updateSettings', { body: { serviceSecret: 'x' } }, 'owner stepUp'],
  ['createAccountJob', { body: { action: 'reconnect' } }, 'support'],
  ['createAccountJob', { body: { action: 'sync' } }, 'support'],
  ['createAccountJob', { body: { action: 'logs' } }, 'operator'],
  ['createAccountJob', { body: { action: ['sync'] } }, 'operator'],
  ['createAccountJob', { body: { action: 'delete' } }, 'operator stepUp'],
  ['createOutboxJob', { body: { action: 'hold' } }, 'support'],
  ['createOutboxJob', { body: { action: 'cancel' } }, 'operator stepUp'],
  ['createToken', { body: {} }, 'owner mail stepUp'],
  ['createTokenAlias', { body: {} }, 'owner mail stepUp'],
  ['createToken', { body: { scopes: 'api' } }, 'owner mail stepUp'],
  ['createToken', { body: { scopes: ['smtp'] } }, 'operator stepUp'],
  ['createToken', { body: { scopes: ['imap-proxy'] } }, 'operator mail stepUp'],
  ['createToken', { body: { permissions: null } }, 'owner mail stepUp'],
  ['createToken', { body: { account: 'a' } }, 'operator mail'],
  ['createToken', { body: { account: 'a', scopes: ['smtp'] } }, 'operator'],
  ['createToken', { body: { account: 'a', scopes: 'imap-proxy' } }, 'operator mail'],
  ['createToken', { body: { permissions: read } }, 'operator mail'],
  ['createToken', { body: { permissions: { actions: ['destructive'] } } }, 'operator'],
  ['createToken', { body: { permissions: { actions: ['write'] } } }, 'operator mail'],
  ['createToken', { body: { permissions: { actions: ['send'] } } }, 'operator mail'],
  ['createToken', { body: { permissions: { groups: ['submit'] } } }, 'operator mail'],
  [
    'createToken',
    { body: { permissions: { actions: ['read', 'write'], groups: ['submit', 'outbox'] } } },
    'operator',
  ],
  ['createToken', { body: { permissions: { ...read, groups: ['account'] } } }, 'operator'],
  ['createToken', { body: { permissions: { groups: ['account', 'logs'] } } }, 'operator mail'],
  ['importTokens', { body: { tokens: [{ scopes: ['smtp'] }] } }, 'operator stepUp'],
  ['importTokens', { body: { tokens: [{ scopes: ['api'] }] } }, 'owner mail stepUp'],
  [
    'importTokens',
    { body: { tokens: [{ scopes: ['api'], permissions: { groups: ['account'] } }] } },
    'operator stepUp',
  ],
  ['importTokens', { body: { tokens: [{ scopes: ['*'] }] } }, 'owner mail stepUp'],
  ['importTokens', { body: undefined }, 'operator stepUp'],
])('neededRights: %s with %j, %s', (id, input, expected) => {
  const rights = [
    requiredRoleOf(id, input),
    ...(readsMail(id, input) ? ['mail'] : []),
    ...(needsStepUp(id, input) ? ['stepUp'] : []),
  ]
  expect(rights.join(' ')).toBe(expected)
})

test('isOwnersSetting: names privileged settings of mail proxies and keys', () => {
  expect(privilegedSettings.filter(isOwnersSetting)).toEqual([
    'serviceSecret',
    'serviceSecretOverlap',
    'webhookSecrets',
    'imapProxyServerEnabled',
    'imapProxyServerHost',
    'imapProxyServerPort',
    'imapProxyServerTLSEnabled',
    'imapProxyServerProxy',
    'imapProxyServerPassword',
    'smtpServerEnabled',
    'smtpServerHost',
    'smtpServerPort',
    'smtpServerTLSEnabled',
    'smtpServerProxy',
    'smtpServerAuthEnabled',
    'smtpServerPassword',
  ])
})
