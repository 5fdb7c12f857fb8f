import { afterAll, expect, test } from '@jest/globals'
import { freePort } from '@posthorn/local'
import {
  eventually,
  RawClient,
  testOAuthDovecot,
  type TestDovecot,
  testOpenIdProvider,
} from '@posthorn/testkit'
import { createOpenIdApp } from '../openid-app.ts'
import { startWorld, untilConnected } from '../world.ts'
import { useByToken } from './use-by-token.ts'

const opened = new AsyncDisposableStack()
afterAll(() => opened.disposeAsync())
const proxyPort = await freePort()
const world = opened.use(
  await startWorld({
    names: [
      'api-gateway',
      'auth-bridge',
      'sync-worker',
      'sender',
      'webhook-dispatcher',
      'imap-proxy',
    ],
    replicas: { 'auth-bridge': 2, 'sync-worker': 2 },
    env: { SVC_ENABLE_OAUTH_TOKENS_API: 'true', SVC_MAX_IMAP_AUTH_FAILURE_TIME: '3s' },
    settings: {
      ignoreMailCertErrors: true,
      imapProxyServerEnabled: true,
      imapProxyServerPort: proxyPort,
    },
  }),
)
const redirectUrl = `${world.url}/oauth`
const provider = opened.adopt(await testOpenIdProvider({ redirectUrls: [redirectUrl] }), (one) =>
  one.close(),
)
/** Mail servers for OAuth2 logins, each with a single token mechanism. */
const [byXoauth2, byOAuthBearer] = await Promise.all([
  testOAuthDovecot(provider.introspectionUrl, ['xoauth2']),
  testOAuthDovecot(provider.introspectionUrl, ['oauthbearer']),
])
for (const dovecot of [byXoauth2, byOAuthBearer]) opened.defer(() => dovecot.drop())
const { posthorn } = world

const createApp = (dovecot: TestDovecot) =>
  createOpenIdApp(world, { provider, dovecot, redirectUrl })
const app = await createApp(byXoauth2)

/**
 * Registers an account with OAuth2, consents as its owner, follows the callback and waits for the
 * connection.
 */
async function connect(
  account: string,
  { state = 'new', provider: of = app }: { state?: 'new' | 'existing'; provider?: string } = {},
): Promise<void> {
  const back = 'http://127.0.0.1:1/done'
  const registered = await posthorn.createAccount({
    body: {
      account,
      name: account,
      email: `${account}@mail.test`,
      oauth2: { provider: of, authorize: true, redirectUrl: back },
    },
  })
  expect(registered).toEqual({ redirect: expect.any(String) })
  const opened = await fetch(registered.redirect ?? '', { redirect: 'manual' })
  const cookie = opened.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const { callback } = await provider.consent(String(opened.headers.get('location')))
  const headers = { cookie: cookie.join('; ') }
  const returned = await fetch(callback, { redirect: 'manual', headers })
  expect([returned.status, returned.headers.get('location')]).toEqual([
    303,
    `${back}?account=${account}&state=${state}`,
  ])
  await untilConnected(world, account)
}

test.each([
  ['XOAUTH2', byXoauth2, 'jane'],
  ['OAUTHBEARER', byOAuthBearer, 'bea'],
] as const)(
  '%s as the only mechanism: receives, sends, and reads through the IMAP proxy',
  async (...row) => {
    const [mechanism, dovecot, account] = row
    const raw = await RawClient.open(dovecot.imapPort)
    const offered = [...(await raw.until(/\r\n/)).matchAll(/AUTH=(\S*(?:OAUTH|BEARER)\w*)/g)]
    raw.close()
    expect(offered.map(([, name]) => name)).toEqual([mechanism])

    // Access tokens have a short lifetime, so that they are renewed after 10 s.
    provider.accessTokenSeconds = 20
    const address = `${account}@mail.test`
    const of = dovecot === byXoauth2 ? app : await createApp(dovecot)
    await connect(account, { provider: of })
    expect(await posthorn.getAccount({ account })).toMatchObject({
      type: 'generic',
      app: of,
      email: address,
      oauth2: { auth: { user: address }, refreshToken: '******' },
    })
    await useByToken(world, { account, dovecot, proxyPort })
  },
)

test('access tokens are renewed before they expire, and cached otherwise', async () => {
  const token = () => posthorn.getOAuthToken({ account: 'jane' })
  const renewals = () => provider.counts.granted['refresh_token'] ?? 0
  await eventually(async () => {
    const ofJane = { account: 'jane', user: 'jane@mail.test', provider: 'generic', app }
    expect(await token()).toMatchObject(ofJane)
    expect(renewals()).toBeGreaterThan(0)
  })
  const checked = await posthorn.checkOAuth2App({ app, body: { account: 'jane' } })
  expect(checked).toMatchObject({ app, provider: 'generic', ok: true })
  provider.accessTokenSeconds = 3_600
  await eventually(async () => {
    const { expires = '' } = await token()
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(1_800_000)
  })
  expect(await token()).toMatchObject({ cached: true })
})

test('a revoked grant causes authenticationError with the reply of the provider, then disables syncing without further requests', async () => {
  await connect('john')
  await provider.revoke('john@mail.test')
  const refusals = () => provider.counts.refused['refresh_token'] ?? 0
  const before = refusals()
  await posthorn.reconnectAccount({ account: 'john', body: { reconnect: true } })
  const authenticationEvents = () =>
    world
      .webhooks()
      .filter(({ account, event }) => account === 'john' && event.startsWith('authentication'))
  // The first authentication event of the account belongs to its successful login.
  await eventually(() => expect(authenticationEvents()).toHaveLength(3))
  const [, refused, switchedOff] = authenticationEvents()
  const data = {
    serverResponseCode: 'OauthRenewError',
    tokenRequest: {
      grant: 'refresh_token',
      provider: 'generic',
      status: 400,
      response: { error: 'invalid_grant' },
    },
  }
  expect(refused).toMatchObject({ event: 'authenticationError', data })
  expect(switchedOff).toMatchObject({ event: 'authenticationError', data })
  expect(JSON.stringify(refused)).not.toContain(provider.clientSecret)
  expect(await posthorn.getAccount({ account: 'john' })).toMatchObject({
    state: 'unset',
    authFailureDisabledAt: expect.any(String),
    lastError: data,
  })
  // The OAuth2 provider gets the next token request after 5 s. A busy machine may need longer for
  // the second authentication event.
  expect(refusals() - before).toBeLessThanOrEqual(2)

  await connect('john', { state: 'existing' })
  expect(await posthorn.getAccount({ account: 'john' })).not.toHaveProperty('authFailureDisabledAt')
  await eventually(() => expect(authenticationEvents().at(-1)?.event).toBe('authenticationSuccess'))
})

test('deleteAccount with revoke=true: revokes the grant at the provider', async () => {
  await connect('jim')
  await posthorn.deleteAccount({ account: 'jim', revoke: true })
  expect(provider.revoked).toBe(1)
})

test('a deleted OAuth2 application causes connectError with AppNotFound', async () => {
  await posthorn.deleteOAuth2App({ app })
  await posthorn.reconnectAccount({ account: 'jane', body: { reconnect: true } })
  await world.webhook(
    ({ event, account, data }) =>
      event === 'connectError' && account === 'jane' && data.serverResponseCode === 'AppNotFound',
  )
  expect(await posthorn.getAccount({ account: 'jane' })).toMatchObject({
    type: 'oauth2',
    state: 'connectError',
  })
  const listed = posthorn.listMessages({ account: 'jane', path: 'INBOX' })
  const problem = expect.objectContaining({ statusCode: 500, code: 'AppNotFound' })
  await expect(listed).rejects.toMatchObject({ status: 500, problem })
})
