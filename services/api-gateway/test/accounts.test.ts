import { afterAll, expect, test } from '@jest/globals'
import { createUnsealer, keyPairFromSecret, unsealHeader, unsealLogin } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db, env } = servers
const { call } = await servers.start()
const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])

const passwords = async (account: string) => {
  const rows = await db
    .selectFrom('credentials')
    .selectAll()
    .where('account', '=', account)
    .execute()
  const opened = rows.map(async ({ kind, sealed }) => [
    kind,
    await unsealer.unseal(sealed, `credentials/${account}/${kind}`),
  ])
  return Object.fromEntries(await Promise.all(opened)) as Record<string, string>
}
const events = (account: string) =>
  db
    .selectFrom('events')
    .select(['event', 'body', 'accountTarget', 'publishedAt'])
    .where('account', '=', account)
    .orderBy('id')
    .execute()
const stored = (account: string) =>
  db.selectFrom('accounts').selectAll().where('account', '=', account).executeTakeFirstOrThrow()

test('createAccount: a new account is stored with sealed passwords and an accountAdded event', async () => {
  const answer = await call('POST', '/v1/account', { body: registration('new1') })
  expect([answer.status, answer.body]).toEqual([200, { account: 'new1', state: 'new' }])
  expect(await passwords('new1')).toEqual({ imap: 'pass of new1', smtp: 'pass of new1' })
  const row = await stored('new1')
  expect(JSON.stringify(row)).not.toContain('pass of')
  expect(row).toMatchObject({
    email: 'new1@mail.example',
    version: '1',
    smtp: { secure: false, auth: { user: 'new1@mail.example' } },
  })
  const [event] = await events('new1')
  expect(JSON.parse(event?.body ?? '')).toMatchObject({
    event: 'accountAdded',
    account: 'new1',
    data: { account: 'new1' },
  })
  await eventually(async () => expect((await events('new1'))[0]?.publishedAt).not.toBeNull())
})

test('createAccount: an existing id updates the account, keeps absent fields and records no event', async () => {
  await call('POST', '/v1/account', {
    body: { ...registration('again'), webhooks: 'https://hooks.example/', tz: 'Europe/Tallinn' },
  })
  const before = await stored('again')
  const { account, name } = registration('again')
  const answer = await call('POST', '/v1/account', { body: { account, name: `${name}!` } })
  expect(answer.body).toEqual({ account: 'again', state: 'existing' })
  expect(await stored('again')).toMatchObject({
    name: 'Name of again!',
    webhooks: 'https://hooks.example/',
    tz: 'Europe/Tallinn',
    imap: before.imap,
    notifyFrom: before.notifyFrom,
    version: '2',
  })
  expect(await passwords('again')).toEqual({ imap: 'pass of again', smtp: 'pass of again' })
  expect(await events('again')).toHaveLength(1)
})

test('createAccount: a masked password keeps the stored one, a new one replaces it', async () => {
  const body = registration('masked')
  await call('POST', '/v1/account', { body })
  const read = (await call('GET', '/v1/account/masked')).body as {
    imap: { auth: { user: string; pass: string } }
    smtp: object
  }
  expect(read.imap.auth).toEqual({ user: 'masked@mail.example', pass: '******' })
  const smtp = { ...body.smtp, auth: { user: 'u', pass: 'another' } }
  const answer = await call('POST', '/v1/account', { body: { ...body, imap: read.imap, smtp } })
  expect(answer.body['state']).toBe('existing')
  expect(await passwords('masked')).toEqual({ imap: 'pass of masked', smtp: 'another' })
})

test('createAccount: useAuthServer or false for a server deletes its stored password', async () => {
  const body = registration('authless')
  await call('POST', '/v1/account', { body })
  const { auth: _auth, ...imap } = body.imap
  await call('POST', '/v1/account', {
    body: { ...body, imap: { ...imap, useAuthServer: true }, smtp: false },
  })
  expect(await passwords('authless')).toEqual({})
  expect(await stored('authless')).toMatchObject({ imap: { useAuthServer: true }, smtp: null })
})

test('createAccount: without an id, assigns one', async () => {
  const { body } = await call('POST', '/v1/account', {
    body: { ...registration('x'), account: null },
  })
  expect(body).toEqual({ account: expect.stringMatching(/^[\w-]{21}$/), state: 'new' })
})

test('createAccount: of 20 concurrent requests with a new id, exactly one returns state new', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call('POST', '/v1/account', { body: registration('race') })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(answers.filter(({ body }) => body['state'] === 'new')).toHaveLength(1)
  expect(await events('race')).toHaveLength(1)
  expect((await stored('race')).version).toBe('20')
})

const { imap, smtp } = registration('bad')
test.each<[string, object, string[]]>([
  ['no name', { name: undefined }, ['name']],
  ['an unknown field', { nope: 1 }, ['nope']],
  ['imap without a login', { imap: { ...imap, auth: undefined } }, ['imap.auth']],
  ['imap without a password', { imap: { ...imap, auth: { user: 'u' } } }, ['imap.auth.pass']],
  [
    'a masked password of nothing',
    { imap: { ...imap, auth: { user: 'u', pass: '******' } } },
    ['imap.auth.pass'],
  ],
  ['a login beside useAuthServer', { imap: { ...imap, useAuthServer: true } }, ['imap.auth']],
  [
    'a bad port',
    { imap: { ...imap, port: 0 }, smtp: { ...smtp, port: 'x' } },
    ['imap.port', 'smtp.port'],
  ],
  ['a bad address', { email: 'nope' }, ['email']],
  ['a bad webhook address', { webhooks: 'ftp://x' }, ['webhooks']],
  ['a date that is none', { notifyFrom: '2026-02-30' }, ['notifyFrom']],
])(
  'createAccount: %s, responds 400 with the field and stores nothing',
  async (...[, changes, paths]) => {
    const { status, body } = await call('POST', '/v1/account', {
      body: { ...registration('bad'), ...changes },
    })
    expect([status, body['message']]).toEqual([400, expect.any(String)])
    expect(body).not.toHaveProperty('code')
    expect(body.fields?.map(({ path }) => path).sort()).toEqual(paths)
    expect(
      await db.selectFrom('accounts').where('account', '=', 'bad').select('account').execute(),
    ).toEqual([])
    expect(await events('bad')).toEqual([])
  },
)

test('createAccount: implicit TLS is kept for SMTP port 465 only', async () => {
  await call('POST', '/v1/account', {
    body: { ...registration('tls'), smtp: { ...smtp, port: 2525, secure: true } },
  })
  expect((await stored('tls')).smtp?.secure).toBe(false)
  await call('POST', '/v1/account', {
    body: { ...registration('tls'), smtp: { ...smtp, port: 465, secure: true } },
  })
  expect((await stored('tls')).smtp?.secure).toBe(true)
})

test('getAccount: contains the state, no secrets and no unset members', async () => {
  const headers = [{ key: 'X-Key', value: 'hush' }]
  const created = await call('POST', '/v1/account', {
    body: {
      ...registration('read'),
      webhooks: 'https://u:hush@hooks.example/x',
      proxy: 'socks5://hush@proxy.example:1080',
      webhooksCustomHeaders: headers,
      notifyFrom: '2026-01-02',
    },
  })
  expect(created.body).toEqual({ account: 'read', state: 'new' })
  const { body } = await call('GET', '/v1/account/read')
  expect(body).toEqual({
    account: 'read',
    name: 'Name of read',
    email: 'read@mail.example',
    state: 'new',
    stateDetail: 'new',
    type: 'imap',
    counters: { events: {} },
    connections: 0,
    smtpStatus: null,
    lastError: null,
    webhooks: 'https://u:******@hooks.example/x',
    proxy: 'socks5://******@proxy.example:1080',
    webhooksCustomHeaders: [{ key: 'X-Key', value: '******' }],
    logs: false,
    paused: false,
    notifyFrom: '2026-01-02T00:00:00.000Z',
    imap: {
      host: 'imap.mail.example',
      port: 993,
      secure: true,
      auth: { user: 'read@mail.example', pass: '******' },
    },
    smtp: {
      host: 'smtp.mail.example',
      port: 587,
      secure: false,
      auth: { user: 'read@mail.example', pass: '******' },
    },
  })
  const { webhooks, proxy, webhooksCustomHeaders } = await stored('read')
  const [{ key, value } = { key: '', value: '' }] = webhooksCustomHeaders ?? []
  expect(value).toMatch(/^sealed~/)
  expect(await unsealHeader({ owner: 'account/read', key, value }, unsealer)).toBe('hush')
  expect(`${webhooks} ${proxy}`).not.toContain('hush')
  expect(await unsealLogin(webhooks ?? '', unsealer)).toBe('https://u:hush@hooks.example/x')
  expect(await unsealLogin(proxy ?? '', unsealer)).toBe('socks5://hush@proxy.example:1080')
  const sentBack = await call('POST', '/v1/account', {
    body: {
      account: 'read',
      name: 'x',
      webhooks: body['webhooks'],
      proxy: body['proxy'],
      webhooksCustomHeaders: body['webhooksCustomHeaders'],
    },
  })
  expect(sentBack.status).toBe(200)
  const kept = { webhooks, proxy, webhooksCustomHeaders }
  expect(await stored('read')).toMatchObject(kept)
  const masks = {
    webhooks: body['webhooks'],
    proxy: body['proxy'],
    webhooksCustomHeaders: body['webhooksCustomHeaders'],
  }
  const { version: before } = await stored('read')
  expect((await call('PUT', '/v1/account/read', { body: masks })).status).toBe(200)
  expect(await stored('read')).toMatchObject({ ...kept, version: before })
  const bound = await mint(call, { account: 'read' })
  const elsewhere = { webhooks: 'https://elsewhere.example/' }
  const moved = await call('PUT', '/v1/account/read', { body: elsewhere, token: bound })
  expect([moved.status, moved.body['message']]).toEqual([403, 'Unauthorized account'])
  expect(await stored('read')).toMatchObject(kept)
  await call('DELETE', '/v1/account/read')
  expect((await events('read')).at(-1)?.accountTarget).toEqual({
    url: webhooks,
    // The OAuth2 grant of the account was sealed at the registration and not changed by the update.
    headers: webhooksCustomHeaders,
  })
})

test('getAccount: lastError is null once the account is connected', async () => {
  await call('POST', '/v1/account', { body: registration('state') })
  const lastError = JSON.stringify({ response: 'NO', serverResponseCode: 'AUTHENTICATIONFAILED' })
  const disabled = new Date('2026-01-01T00:00:00Z')
  await db
    .insertInto('accountStates')
    .values({
      account: 'state',
      state: 'authenticationError',
      lastError,
      authFailureDisabledAt: disabled,
    })
    .execute()
  expect((await call('GET', '/v1/account/state')).body).toMatchObject({
    state: 'authenticationError',
    lastError: { response: 'NO', serverResponseCode: 'AUTHENTICATIONFAILED' },
    authFailureDisabledAt: '2026-01-01T00:00:00.000Z',
  })
  await db
    .updateTable('accountStates')
    .set({ state: 'connected' })
    .where('account', '=', 'state')
    .execute()
  expect((await call('GET', '/v1/account/state')).body['lastError']).toBeNull()
})

test('getAccount: why a server cannot be used is hidden from a bound token', async () => {
  await call('POST', '/v1/account', { body: registration('scan') })
  const token = await mint(call, { account: 'scan' })
  const lastError = { response: 'connect ECONNREFUSED', serverResponseCode: 'ECONNREFUSED' }
  await db
    .insertInto('accountStates')
    .values({ account: 'scan', state: 'connectError', lastError: JSON.stringify(lastError) })
    .execute()
  expect((await call('GET', '/v1/account/scan')).body['lastError']).toEqual(lastError)
  expect((await call('GET', '/v1/account/scan', { token })).body['lastError']).toEqual({
    response: 'The mail server cannot be used',
    serverResponseCode: 'ECONNECTION',
  })
})

test('getAccount: a missing account responds 404 without a code', async () => {
  const gone = {
    statusCode: 404,
    error: 'Not Found',
    message: 'Account record was not found for requested ID',
  }
  expect((await call('GET', '/v1/account/missing')).body).toEqual(gone)
  expect((await call('DELETE', '/v1/account/missing')).body).toEqual(gone)
  expect((await call('GET', `/v1/account/${encodeURIComponent('a/b ü')}`)).body).toEqual(gone)
})

test('listAccounts: returns pages, filtered by state and by part of id, name or address', async () => {
  for (const account of ['list%1', 'list%2', 'list%3'])
    await call('POST', '/v1/account', { body: registration(account) })
  await db.insertInto('accountStates').values({ account: 'list%3', state: 'connected' }).execute()
  const page = await call('GET', '/v1/accounts?query=LIST%25&page=1&pageSize=2')
  expect(page.body).toMatchObject({
    total: 3,
    page: 1,
    pages: 2,
    query: 'LIST%',
    state: '*',
    accounts: [{ account: 'list%3', state: 'connected', type: 'imap' }],
  })
  expect((await call('GET', '/v1/accounts?query=list%25&state=new')).body).toMatchObject({
    total: 2,
    state: 'new',
  })
  expect((await call('GET', '/v1/accounts?query=list%251%40mail')).body).toMatchObject({ total: 1 })
  expect((await call('GET', '/v1/accounts?state=nope')).status).toBe(400)
})

test('getAccount, listAccounts: state is one of the interface, stateDetail is the exact one', async () => {
  const shown = {
    new: 'new',
    init: 'init',
    connecting: 'init',
    syncing: 'init',
    connected: 'connected',
    authenticationError: 'authenticationError',
    connectError: 'connectError',
    disconnected: 'other',
    unset: 'unset',
    paused: 'other',
  } as const
  for (const [exact, state] of Object.entries(shown)) {
    await call('POST', '/v1/account', { body: registration(`exact-${exact}`) })
    await db
      .insertInto('accountStates')
      .values({ account: `exact-${exact}`, state: exact as keyof typeof shown })
      .execute()
    expect((await call('GET', `/v1/account/exact-${exact}`)).body).toMatchObject({
      state,
      stateDetail: exact,
    })
  }
  const listedStates = async (state: string) => {
    const { body } = await call('GET', `/v1/accounts?query=exact-&state=${state}`)
    const accounts = body['accounts'] as { state: string; stateDetail: string }[]
    return accounts.map((account) => `${account.state} ${account.stateDetail}`).toSorted()
  }
  expect(await listedStates('other')).toEqual(['other disconnected', 'other paused'])
  expect(await listedStates('init')).toEqual(['init connecting', 'init init', 'init syncing'])
  expect(await listedStates('paused')).toEqual(['other paused'])
})

test('deleteAccount: deletes passwords, tokens and submissions; the event keeps its webhook target', async () => {
  await call('POST', '/v1/account', {
    body: { ...registration('gone'), webhooks: 'https://hooks.example/gone' },
  })
  await call('POST', '/v1/tokens', { body: { account: 'gone', scopes: ['smtp'] } })
  expect((await call('DELETE', '/v1/account/gone')).body).toEqual({
    account: 'gone',
    deleted: true,
  })
  for (const table of ['accounts', 'credentials', 'tokens'] as const)
    expect(
      await db.selectFrom(table).select('account').where('account', '=', 'gone').execute(),
    ).toEqual([])
  const [, deleted] = await events('gone')
  expect(deleted).toMatchObject({
    event: 'accountDeleted',
    accountTarget: { url: 'https://hooks.example/gone', headers: [] },
  })
  expect((await call('POST', '/v1/account', { body: registration('gone') })).body['state']).toBe(
    'new',
  )
  expect(await events('gone')).toHaveLength(3)
})
