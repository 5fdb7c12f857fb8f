import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { createOAuth2World } from './oauth2-world.ts'

// Applications with the base scopes `api` cannot be registered yet, so their rows are inserted.

const requests: { path: string; authorization: string | undefined }[] = []
/** Error response of the fake mail API; undefined for a successful response. */
let apiError: { status: number; body: object } | undefined
const provider = createServer((request, response) => {
  const { url: path = '', headers } = request
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  request.resume()
  if (path === '/token') return send(200, { access_token: 'at', expires_in: 3_599 })
  requests.push({ path, authorization: headers.authorization })
  if (apiError) return send(apiError.status, apiError.body)
  send(200, path.startsWith('/gmail') ? { emailAddress: 'jane@gmail.example' } : { id: 'AAMk=' })
}).listen(0, '127.0.0.1')
await once(provider, 'listening')
const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
const world = await createOAuth2World({
  config: {
    providerOrigins: {
      'https://gmail.googleapis.com': origin,
      'https://graph.microsoft.com': origin,
    },
  },
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  provider.close()
})
beforeEach(() => {
  requests.length = 0
  apiError = undefined
})

const api = {
  tokenUrl: `${origin}/token`,
  clientId: 'c',
  clientSecret: 'a secret of the client',
  baseScopes: 'api',
} as const
await world.insertApp('gmail', 'gmail', api)
await world.insertApp('graph', 'outlook', api)
const skipScopes = ['https://www.googleapis.com/auth/gmail.modify']
await world.insertApp('sending', 'gmail', { ...api, skipScopes })
const auth = { user: 'jane@x.example' }
await world.insertApiAccount('jane', 'gmail', { provider: 'gmail', auth })
await world.insertApiAccount('june', 'graph', { provider: 'graph', auth })
const delegatedUser = 'info@x.example'
await world.insertApiAccount('info', 'graph', {
  provider: 'graph',
  auth: { ...auth, delegatedUser },
})
await world.insertApiAccount('sender', 'gmail', { provider: 'sending', auth })

test('getCredentials: protocol api, token with the mailbox, a shared one included', async () => {
  const login = { accessToken: 'at', expires: expect.stringMatching(/Z$/) }
  expect(await world.getCredentials('jane', 'api')).toEqual({
    ...auth,
    ...login,
    application: 'gmail',
    own: true,
  })
  expect(await world.getCredentials('info', 'api')).toEqual({
    user: delegatedUser,
    ...login,
    application: 'graph',
  })
  const ofUser = { ...auth, ...login, application: 'graph' }
  expect(await world.getCredentials('june', 'api')).toEqual({ ...ofUser, own: true })
})

test('getCredentials: mailbox of a token of an application or an authentication server, is not the own one', async () => {
  const app = { ...api, authority: 'contoso.example' }
  await world.insertApp('tenant', 'outlookService', app)
  await world.insertApiAccount('robot', 'graph', { provider: 'tenant', auth })
  expect(await world.getCredentials('robot', 'api')).not.toHaveProperty('own')
})

test('getCredentials: protocol api, names the cloud and the application of the delegate', async () => {
  await world.insertApp('national', 'outlook', { ...api, cloud: 'gcc-high' })
  await world.insertApiAccount('owner', 'graph', { provider: 'national', auth })
  const shared = { delegatedUser, delegatedAccount: 'owner' }
  await world.insertApiAccount('shared', 'graph', { provider: '', auth: shared })
  expect(await world.getCredentials('shared', 'api')).toMatchObject({
    user: delegatedUser,
    application: 'national',
    cloud: 'gcc-high',
  })
})

test('getCredentials: protocol api with an application for mail servers, InvalidBaseScopes', async () => {
  await world.insertApp('mail', 'gmail', { ...api, baseScopes: 'imap' })
  await world.insertApiAccount('moved', 'gmail', { provider: 'mail', auth })
  await expect(world.getCredentials('moved', 'api')).rejects.toMatchObject({
    kind: 'internal',
    code: 'InvalidBaseScopes',
  })
})

test('getCredentials: protocol and mail system of the account differ, no credentials', async () => {
  await expect(world.getCredentials('jane')).rejects.toMatchObject({ code: 'IMAPUnavailable' })
  await expect(world.getCredentials('jane', 'smtp')).rejects.toMatchObject({
    code: 'SMTPUnavailable',
  })
  await world.insertAccount('at-imap', { provider: 'gmail', auth }, { refreshToken: 'rt' })
  for (const protocol of ['imap', 'api'] as const)
    await expect(world.getCredentials('at-imap', protocol)).rejects.toMatchObject({
      kind: 'internal',
      code: 'InvalidBaseScopes',
    })
})

test.each([
  ['gmail', 'jane', '/gmail/v1/users/me/profile', 'jane@gmail.example'],
  [
    'graph',
    'info',
    `/v1.0/users/${encodeURIComponent(delegatedUser)}/mailFolders/inbox?$select=id`,
    delegatedUser,
  ],
  ['graph', 'june', '/v1.0/me/mailFolders/inbox?$select=id', auth.user],
])('verifyOAuth2App: %s, reports token and profile', async (...row) => {
  const [app, account, path, message] = row
  const { token, profile } = await world.verify(app, account)
  expect([token, profile]).toMatchObject([{ status: 'ok' }, { status: 'ok', message }])
  expect(requests).toEqual([{ path, authorization: 'Bearer at' }])
})

test('verifyOAuth2App: API not enabled, the profile fails with the text of the provider', async () => {
  const message = 'Gmail API has not been used in project 1 before or it is disabled.'
  const errors = [{ message, domain: 'usageLimits', reason: 'accessNotConfigured' }]
  apiError = { status: 403, body: { error: { code: 403, message, errors } } }
  const { token, profile } = await world.verify('gmail', 'jane')
  expect([token, profile]).toMatchObject([{ status: 'ok' }, { status: 'fail', message }])
  expect(JSON.stringify(profile)).not.toContain('Bearer')
})

test('verifyOAuth2App: scopes for sending only, the profile is skipped', async () => {
  const { token, profile } = await world.verify('sending', 'sender')
  expect([token, profile]).toMatchObject([{ status: 'ok' }, { status: 'skip' }])
  expect(requests).toEqual([])
})
