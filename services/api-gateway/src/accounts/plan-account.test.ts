import { expect, test } from '@jest/globals'
import type { OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import type { AppForAccount } from '../store/oauth2/oauth2-apps.ts'
import { planAccount } from './plan-account.ts'
import { acceptsAccounts, backendOf } from './plan-oauth2.ts'

const appOf = (provider: OAuth2Provider, config: OAuth2AppConfig): AppForAccount => ({
  id: 'app',
  provider,
  config,
})
const api: OAuth2AppConfig = { baseScopes: 'api' }

test.each<[OAuth2Provider, OAuth2AppConfig, string | undefined]>([
  ['gmail', {}, 'imap'],
  ['outlook', { baseScopes: 'imap' }, 'imap'],
  ['gmail', api, 'gmail'],
  ['gmailService', api, 'gmail'],
  ['outlook', api, 'graph'],
  ['outlookService', api, 'graph'],
  ['mailRu', api, undefined],
  ['generic', api, undefined],
  ['gmail', { baseScopes: 'pubsub' }, undefined],
])('backendOf: application of %s with %j, %s', (provider, config, backend) => {
  expect(backendOf(appOf(provider, config))).toBe(backend)
})

const oauth2 = { provider: 'app', auth: { user: 'jane@gmail.example' }, refreshToken: 'rt' }

test('planAccount: a new account of an API gets its backend and no servers', () => {
  const { columns } = planAccount({ name: 'Jane', oauth2 }, undefined, appOf('gmail', api))
  expect(columns).toMatchObject({ backend: 'gmail', email: 'jane@gmail.example' })
  expect([columns.imap, columns.smtp]).toEqual([undefined, undefined])
})

const sending = { ...api, skipScopes: ['https://www.googleapis.com/auth/gmail.modify'] }
const graphSending = { ...api, skipScopes: ['Mail.ReadWrite'] }

test.each<[OAuth2Provider, OAuth2AppConfig, boolean]>([
  ['gmail', sending, true],
  ['gmailService', sending, true],
  ['outlook', graphSending, true],
  ['outlook', { ...graphSending, extraScopes: ['Mail.Send.Shared'] }, true],
  ['outlook', { ...graphSending, extraScopes: ['Mail.Read'] }, false],
  ['gmail', { ...sending, extraScopes: ['https://mail.google.com/'] }, false],
  ['gmail', api, false],
  ['outlookService', graphSending, false],
  ['gmail', { ...sending, baseScopes: 'imap' }, false],
])('planAccount: new account of %s with %j, sends only: %p', (provider, config, isSendOnly) => {
  const { columns } = planAccount({ name: 'Jane', oauth2 }, undefined, appOf(provider, config))
  expect(columns.imap?.includes('"disabled":true') ?? false).toBe(isSendOnly)
})

test('acceptsAccounts: not applications for Pub/Sub, or for an API of other servers', () => {
  const apps = [appOf('gmail', {}), appOf('generic', {}), appOf('gmail', api)]
  const others = [appOf('outlook', api), appOf('gmail', { baseScopes: 'pubsub' })]
  const accepted = [...apps, ...others, appOf('generic', api)].map(acceptsAccounts)
  expect(accepted).toEqual([true, true, true, true, false, false])
})

test('planAccount: a new account of a mail application gets its servers', () => {
  const { columns } = planAccount({ name: 'Jane', oauth2 }, undefined, appOf('gmail', {}))
  expect(columns).toMatchObject({ backend: 'imap' })
  expect(columns.imap).toContain('imap.gmail.com')
})
