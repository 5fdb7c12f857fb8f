import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { startOAuth2Login } from '@posthorn/contracts/commands/oauth2-login'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

const consent = {
  clientId: 'id',
  clientSecret: 'hush',
  redirectUrl: 'https://posthorn.example/oauth',
}
async function createApp(body: object): Promise<string> {
  const answer = await call('POST', '/v1/oauth2', { body: { enabled: true, ...consent, ...body } })
  return String(answer.body['id'])
}
const consentQuery = new URLSearchParams({ redirect_uri: consent.redirectUrl }).toString()
const gmail = await createApp({ name: 'G', provider: 'gmail' })
const outlook = await createApp({ name: 'O', provider: 'outlook', authority: 'common' })
const register = (account: string, oauth2: object | false, more: object = {}) =>
  call('POST', '/v1/account', { body: { account, name: account, oauth2, ...more } })
const change = (account: string, body: object) => call('PUT', `/v1/account/${account}`, { body })
const get = async (account: string) => (await call('GET', `/v1/account/${account}`)).body
const paths = (answer: Awaited<ReturnType<typeof register>>) =>
  answer.body.fields?.map(({ path }) => path)

async function grantOf(account: string): Promise<unknown> {
  const row = await db
    .selectFrom('credentials')
    .select('sealed')
    .where('account', '=', account)
    .where('kind', '=', 'oauth2')
    .executeTakeFirst()
  const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
  return row && JSON.parse(await unsealer.unseal(row.sealed, `credentials/${account}/oauth2`))
}

test('createAccount: with tokens, stores the servers of the provider', async () => {
  const auth = { user: 'jane@gmail.example' }
  const tokens = { accessToken: 'at', refreshToken: 'rt', expires: '2030-01-01T00:00:00.000Z' }
  const answer = await register('jane', { provider: gmail, auth, ...tokens })
  expect([answer.status, answer.body]).toEqual([200, { account: 'jane', state: 'new' }])
  expect(await get('jane')).toMatchObject({
    type: 'gmail',
    app: gmail,
    baseScopes: 'imap',
    email: 'jane@gmail.example',
    oauth2: { provider: gmail, auth, accessToken: '******', refreshToken: '******' },
    imap: { host: 'imap.gmail.com', port: 993, secure: true },
    smtp: { host: 'smtp.gmail.com', port: 465, secure: true },
  })
  const expires = Date.parse(tokens.expires)
  expect(await grantOf('jane')).toEqual({ accessToken: 'at', refreshToken: 'rt', expires })
  const listed = await call('GET', '/v1/accounts?query=jane')
  expect(listed.body['accounts']).toMatchObject([{ account: 'jane', type: 'gmail', app: gmail }])

  await change('jane', { oauth2: { partial: true, refreshToken: '******' }, name: 'Jane' })
  expect(await grantOf('jane')).toMatchObject({ refreshToken: 'rt' })
  await change('jane', { oauth2: { partial: true, refreshToken: 'new' } })
  expect(await grantOf('jane')).toEqual({ refreshToken: 'new' })
})

test('updateAccount: another application deletes the grant and changes the servers', async () => {
  await register('mover', { provider: gmail, auth: { user: 'm@x.example' }, refreshToken: 'rt' })
  await change('mover', { oauth2: { provider: outlook, auth: { user: 'm@x.example' } } })
  expect(await grantOf('mover')).toBeUndefined()
  expect(await get('mover')).toMatchObject({
    type: 'outlook',
    imap: { host: 'outlook.office365.com', port: 993 },
    smtp: { host: 'smtp.office365.com', port: 587, secure: false },
  })
  await change('mover', { oauth2: false })
  const record = await get('mover')
  expect(record).toMatchObject({ type: 'sending' })
  expect([record['oauth2'], record['imap'], record['smtp']]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('accounts: useAuthServer with OAuth2 deletes the grant and rejects tokens and a sign-in', async () => {
  const auth = { user: 's@x.example' }
  const served = { provider: gmail, auth, useAuthServer: true }
  for (const [more, path] of [
    [{ accessToken: 'at' }, 'oauth2.accessToken'],
    [{ refreshToken: '******' }, 'oauth2.refreshToken'],
    [{ authorize: true, redirectUrl: 'https://x.example/' }, 'oauth2.authorize'],
  ] as const) {
    const answer = await register('served', { ...served, ...more })
    expect([answer.status, paths(answer)]).toEqual([400, [path]])
  }
  expect((await call('GET', '/v1/account/served')).status).toBe(404)

  await register('served', { provider: gmail, auth, accessToken: 'at', refreshToken: 'rt' })
  const both = { partial: true, useAuthServer: true, refreshToken: 'new' }
  expect(paths(await change('served', { oauth2: both }))).toEqual(['oauth2.refreshToken'])
  expect(await grantOf('served')).toMatchObject({ refreshToken: 'rt' })
  const bound = await mint(call, { account: 'served' })
  const { status } = await call('PUT', '/v1/account/served', {
    token: bound,
    body: { oauth2: { partial: true, useAuthServer: true } },
  })
  expect(status).toBe(200)
  expect(await grantOf('served')).toBeUndefined()
  expect(await get('served')).toMatchObject({ oauth2: { provider: gmail, useAuthServer: true } })
  expect((await get('served'))['oauth2']).not.toHaveProperty('refreshToken')

  // OAuth2 tokens in an update without `useAuthServer` replace the authentication server, like a
  // new login of a mail server does.
  await change('served', { oauth2: { partial: true, refreshToken: 'own' } })
  expect(await grantOf('served')).toEqual({ refreshToken: 'own' })
  expect(await get('served')).toMatchObject({ oauth2: { useAuthServer: false } })
  expect((await register('served', served)).status).toBe(200)
  expect(await grantOf('served')).toBeUndefined()
})

test('updateAccount: another network path of an OAuth2 login responds 403 to a bound token', async () => {
  const auth = { user: 'path@gmail.example' }
  await register('path', { provider: gmail, auth, refreshToken: 'rt' })
  const token = await mint(call, { account: 'path' })
  const before = await get('path')
  const tls = { rejectUnauthorized: false }
  const redirects = [
    { imap: { partial: true, port: 143, secure: false, tls } },
    { imap: { partial: true, port: 143 } },
    { imap: { partial: true, secure: false } },
    { imap: { partial: true, tls } },
    { smtp: { partial: true, port: 25, tls } },
  ]
  for (const body of redirects) {
    const { status } = await call('PUT', '/v1/account/path', { token, body })
    expect([status, body]).toEqual([403, body])
  }
  expect(await get('path')).toEqual(before)
})

const auth = { user: 'x@x.example' }
test.each<[string, object, string[]]>([
  ['an unknown application', { provider: 'none', auth }, ['oauth2.provider']],
  ['no application', { auth }, ['oauth2.provider']],
  ['no login', { provider: gmail }, ['oauth2.auth']],
  [
    'a delegate without a mailbox',
    { provider: gmail, auth: { delegatedAccount: 'jane' } },
    ['oauth2.auth.delegatedUser'],
  ],
  [
    'a redirect without authorize',
    { provider: gmail, auth, redirectUrl: 'https://a.example' },
    ['oauth2.redirectUrl'],
  ],
  ['consent without a way back', { provider: gmail, authorize: true }, ['oauth2.redirectUrl']],
])('createAccount: %s, rejected', async (...[, oauth2, fields]) => {
  const answer = await register('refused', oauth2)
  expect([answer.status, paths(answer)]).toEqual([400, fields])
  expect((await call('GET', '/v1/account/refused')).status).toBe(404)
})

test('createAccount: an application with the base scope api, an account without mail servers', async () => {
  const app = await createApp({ name: 'A', provider: 'gmail', ...consent, baseScopes: 'api' })
  expect((await register('api', { provider: app, auth })).status).toBe(200)
  const record = await get('api')
  expect(record).toMatchObject({ type: 'gmail', baseScopes: 'api', oauth2: { provider: app } })
  expect([record['imap'], record['smtp']]).toEqual([undefined, undefined])
})

test('createAccount: an application for Pub/Sub is rejected', async () => {
  const app = await createApp({ name: 'P', provider: 'gmail' })
  const config = JSON.stringify({ ...consent, baseScopes: 'pubsub' })
  await db.updateTable('oauth2Apps').set({ config }).where('id', '=', app).execute()
  expect(await register('pubsub', { provider: app, auth })).toMatchObject({
    status: 400,
    body: { code: 'UnsupportedOperation' },
  })
})

test('createAccount: of concurrent registrations of a user, one succeeds', async () => {
  const oauth2 = (user: string) => ({ provider: gmail, auth: { user }, refreshToken: 'rt' })
  const users = ['One@x.example', 'one@x.example', 'ONE@x.example', 'one@X.example']
  const answers = await Promise.all(
    users.map((user, index) => register(`one-${index}`, oauth2(user))),
  )
  const there = answers.filter(({ status }) => status === 200).map(({ body }) => body['account'])
  expect(there).toHaveLength(1)
  for (const { status, body } of answers.filter((answer) => answer.status !== 200))
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ code: 'AccountAlreadyExists', existingAccount: there[0] }),
    ])
  // An OAuth2 user may register again through another application, or with a shared mailbox.
  const elsewhere = { provider: outlook, auth: { user: 'one@x.example' } }
  expect((await register('one-outlook', elsewhere)).status).toBe(200)
  const shared = { ...elsewhere, auth: { ...elsewhere.auth, delegatedUser: 'info@x.example' } }
  expect((await register('one-shared', shared)).status).toBe(200)
  expect(await change('one-shared', { oauth2: elsewhere })).toMatchObject({
    status: 400,
    body: { code: 'AccountAlreadyExists', existingAccount: 'one-outlook' },
  })
})

test('createAccount: with authorize, returns the URL of the sign-in and registers nothing', async () => {
  const commands: { app: string; loginHint?: string }[] = []
  await using _serving = await bus.serve({
    queue: 'credentials',
    keys: ['credentials'],
    handlers: [
      on(startOAuth2Login, (request) => {
        commands.push(request)
        return Promise.resolve({ url: `https://accounts.example/consent?${consentQuery}` })
      }),
    ],
  })
  const oauth2 = { provider: gmail, authorize: true, redirectUrl: 'https://app.example/done' }
  const answer = await register('consenting', oauth2, { email: 'c@x.example' })
  expect([answer.status, answer.body]).toEqual([
    200,
    { redirect: expect.stringMatching(/^https:\/\/posthorn\.example\/oauth\?start=[\w-]{43}$/) },
  ])
  expect(commands).toMatchObject([{ app: gmail, loginHint: 'c@x.example' }])
  const rows = await db.selectFrom('oauth2Logins').select(['app', 'registration']).execute()
  expect(rows).toMatchObject([{ app: gmail, registration: { account: 'consenting' } }])
  expect((await call('GET', '/v1/account/consenting')).status).toBe(404)
})

test('getAccount: a deleted application or delegate is visible in the type', async () => {
  const app = await createApp({ name: 'Gone', provider: 'gmail' })
  await register('orphan', { provider: app, auth: { user: 'orphan@x.example' } })
  const delegated = { delegatedUser: 'info@x.example', delegatedAccount: 'orphan' }
  await register('delegate', { provider: app, auth: delegated })
  expect((await get('delegate'))['type']).toBe('delegated')
  expect((await call('DELETE', `/v1/oauth2/${app}`)).body).toMatchObject({ accounts: 2 })
  expect((await get('orphan'))['type']).toBe('oauth2')
  await call('DELETE', '/v1/account/orphan')
  expect((await get('delegate'))['type']).toBe('invalid')
})
