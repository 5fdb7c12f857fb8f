import { afterAll, expect, test } from '@jest/globals'
import { mint } from './gateway.ts'
import { redirectUrl, signInWorld } from './sign-in-world.ts'

const world = await signInWorld()
const { app, gateways, provider, servers, finishSignIn, openSignIn, page } = world
const { db } = servers
const [gateway] = gateways
afterAll(() => world.stop())

const get = async (id: string) => (await gateway.call('GET', `/v1/account/${id}`)).body
const put = (id: string, body: object, token?: string) =>
  gateway.call('PUT', `/v1/account/${id}`, token === undefined ? { body } : { body, token })
const authorize = { authorize: true, provider: app, redirectUrl }

/** Registers an account with an OAuth2 grant. */
async function register(account: string, more: object = {}): Promise<void> {
  const auth = { user: `${account}@mail.test` }
  const oauth2 = { provider: app, auth, accessToken: 'at', refreshToken: 'rt' }
  const body = { account, name: account, oauth2, ...more }
  expect(await gateway.call('POST', '/v1/account', { body })).toMatchObject({ status: 200 })
}

/**
 * Requests an account update that waits for OAuth2 consent. Returns the URL for the owner of the
 * account.
 */
async function request(account: string, body: object, token?: string): Promise<string> {
  const response = await put(account, body, token)
  const url = expect.stringMatching(/\/oauth\?start=[\w-]{43}$/)
  expect([response.status, response.body]).toEqual([200, { account, redirect: url }])
  return String(response.body['redirect'])
}
const consent = async (url: string, user: string) => finishSignIn(await openSignIn(url), { user })

async function rowOf(account: string) {
  const stored = db.selectFrom('accounts').where('account', '=', account)
  const sealed = db.selectFrom('credentials').select(['kind', 'sealed'])
  return {
    ...(await stored.selectAll().executeTakeFirstOrThrow()),
    credentials: await sealed.where('account', '=', account).orderBy('kind').execute(),
  }
}

test('updateAccount: with authorize, changes nothing before the consent and all fields then', async () => {
  const headers = [{ key: 'X-Key', value: 'hush' }]
  await register('whole', {
    webhooks: 'https://u:p@hooks.example/',
    webhooksCustomHeaders: headers,
  })
  const { webhooks, webhooksCustomHeaders } = await get('whole')
  const before = await rowOf('whole')
  const imap = { partial: true, sentMailPath: 'Gone out' }
  const more = { name: 'New', path: ['INBOX'], imap, expectedEmail: 'WHOLE@mail.test' }
  // Masked values in an account update that waits for consent keep their meaning until the consent.
  const body = { ...more, webhooks, webhooksCustomHeaders, oauth2: authorize }
  const url = await request('whole', body)
  expect(await rowOf('whole')).toEqual(before)
  expect(provider.started.at(-1)).toMatchObject({ app, loginHint: 'WHOLE@mail.test' })
  const { status, location } = await consent(url, 'Whole@mail.test')
  expect([status, location]).toEqual([303, `${redirectUrl}?account=whole&state=existing`])
  expect(await get('whole')).toMatchObject({
    name: 'New',
    path: ['INBOX'],
    expectedEmail: 'WHOLE@mail.test',
    imap: { host: 'imap.gmail.com', sentMailPath: 'Gone out' },
    oauth2: { provider: app, auth: { user: 'whole@mail.test' } },
  })
  const after = await rowOf('whole')
  expect(after.credentials).toEqual([
    { kind: 'oauth2', sealed: 'sealed for whole by Whole@mail.test' },
  ])
  expect([after.webhooks, after.webhooksCustomHeaders]).toEqual([
    before.webhooks,
    before.webhooksCustomHeaders,
  ])
  expect(Number(after.version)).toBe(Number(before.version) + 1)
})

test('updateAccount: stored passwords work until the consent, then the grant replaces them', async () => {
  const auth = { user: 'typed@mail.test', pass: 'typed' }
  const imap = { host: 'imap.own.example', port: 993, secure: true, auth }
  const body = { account: 'typed', name: 'T', imap }
  await gateway.call('POST', '/v1/account', { body })
  const url = await request('typed', { imap: false, oauth2: authorize })
  expect((await rowOf('typed')).credentials).toMatchObject([{ kind: 'imap' }])
  expect(await get('typed')).toMatchObject({ type: 'imap', imap: { host: 'imap.own.example' } })
  expect((await consent(url, 'typed@mail.test')).status).toBe(303)
  expect((await rowOf('typed')).credentials).toMatchObject([{ kind: 'oauth2' }])
})

test('updateAccount: two requests, each is applied completely in the order of consents', async () => {
  await register('two')
  const first = await request('two', { name: 'First', path: ['A'], oauth2: authorize })
  const second = await request('two', { name: 'Second', oauth2: authorize })
  expect(await put('two', { locale: 'de' })).toMatchObject({ status: 200 })
  expect((await consent(second, 'two@mail.test')).status).toBe(303)
  expect(await get('two')).toMatchObject({ name: 'Second', locale: 'de' })
  expect((await consent(first, 'two@mail.test')).status).toBe(303)
  expect(await get('two')).toMatchObject({ name: 'First', path: ['A'], locale: 'de' })
  expect((await page(first.slice(first.indexOf('/oauth')))).status).toBe(400)
})

test('updateAccount: expired or denied consent, the account stays as it is', async () => {
  await register('late')
  const before = await rowOf('late')
  const denied = await openSignIn(await request('late', { name: 'Late', oauth2: authorize }))
  expect((await page(`/oauth?error=access_denied&state=${denied}`)).status).toBe(403)
  const state = await openSignIn(await request('late', { name: 'Late', oauth2: authorize }))
  await db
    .updateTable('oauth2Logins')
    .set({ expiresAt: new Date(Date.now() - 1_000) })
    .execute()
  expect((await finishSignIn(state, { user: 'late@mail.test' })).status).toBe(400)
  expect(await rowOf('late')).toEqual(before)
})

test('updateAccount: an error of the provider is shown, and stored until a consent succeeds', async () => {
  await register('policy')
  const state = await openSignIn(await request('policy', { name: 'P', oauth2: authorize }))
  const description = 'AADSTS90094: The grant requires admin permission.\r\nTrace ID: 1'
  const error = new URLSearchParams({ error: 'access_denied', error_description: description })
  const { status, html } = await page(`/oauth?${error.toString()}&state=${state}`)
  expect(status).toBe(400)
  expect(html).toContain('access_denied (AADSTS90094): AADSTS90094: The grant requires admin')
  expect(html).toContain('Ask an administrator of your organisation to approve')
  const failure = {
    error: 'access_denied',
    code: 'AADSTS90094',
    description: 'AADSTS90094: The grant requires admin permission.',
    remedy: expect.stringContaining('administrator'),
    time: expect.stringMatching(/Z$/),
  }
  expect((await get('policy'))['oauth2']).toMatchObject({ consentError: failure })
  const next = await request('policy', { name: 'P', oauth2: authorize })
  expect((await consent(next, 'policy@mail.test')).status).toBe(303)
  expect((await get('policy'))['oauth2']).not.toHaveProperty('consentError')
})

test.each([
  ['login name of the account', {}, {}],
  ['pin of the account', { expectedEmail: 'right@mail.test' }, {}],
  ['login name of the request', {}, { auth: { user: 'right@mail.test' } }],
])('updateAccount: consent of a user other than the %s, is refused', async (name, more, oauth2) => {
  const account = name.replaceAll(' ', '-')
  await register(account, more)
  const before = await rowOf(account)
  const url = await request(account, { name: 'Taken', oauth2: { ...authorize, ...oauth2 } })
  const refused = await consent(url, 'wrong@mail.test')
  expect([refused.status, refused.html.includes('wrong@mail.test')]).toEqual([403, true])
  expect(provider.revoked.at(-1)).toMatchObject({ account })
  expect(await rowOf(account)).toEqual(before)
})

test('updateAccount: operator names another user, whose consent moves the account', async () => {
  await register('moved')
  const auth = { user: 'new@mail.test' }
  const url = await request('moved', { oauth2: { ...authorize, partial: true, auth } })
  expect((await consent(url, 'New@mail.test')).status).toBe(303)
  expect(await get('moved')).toMatchObject({ oauth2: { auth } })
})

test('updateAccount: bound token, renews the consent but can not redirect the account', async () => {
  await register('bound')
  const token = await mint(gateway.call, { account: 'bound' })
  const url = await request('bound', { name: 'Renewed', oauth2: authorize }, token)
  const auth = { user: 'mine@mail.test' }
  const [named, moved] = [
    await put('bound', { oauth2: { ...authorize, auth } }, token),
    await put('bound', { imap: { host: 'evil.example', port: 993 }, oauth2: authorize }, token),
  ]
  expect([named, moved].map(({ status }) => status)).toEqual([403, 403])
  expect((await consent(url, 'mine@mail.test')).status).toBe(403)
  expect(await get('bound')).toMatchObject({ name: 'bound' })
  const again = await request('bound', { name: 'Renewed', oauth2: authorize }, token)
  // An operator has changed the login of the account meanwhile, so the update that the token
  // requested ends.
  const operators = { provider: app, auth, accessToken: 'a2', refreshToken: 'r2' }
  expect((await put('bound', { oauth2: operators })).status).toBe(200)
  expect((await consent(again, 'bound@mail.test')).status).toBe(403)
  const third = await request('bound', { name: 'Third', oauth2: authorize }, token)
  expect((await consent(third, 'mine@mail.test')).status).toBe(303)
  expect(await get('bound')).toMatchObject({ name: 'Third', oauth2: { auth } })
})

test("updateAccount: bound token, repeats an operator's headers, which do not return at the consent", async () => {
  const webhooksCustomHeaders = [{ key: 'X-Key', value: 'hush' }]
  await register('repeats', { webhooks: 'https://u:p@hooks.example/', webhooksCustomHeaders })
  const token = await mint(gateway.call, { account: 'repeats' })
  const record = await get('repeats')
  const masked = {
    webhooks: record['webhooks'],
    webhooksCustomHeaders: record['webhooksCustomHeaders'],
  }
  const repeated = await request('repeats', { ...masked, oauth2: authorize }, token)
  const headersOnly = { webhooksCustomHeaders: masked.webhooksCustomHeaders, oauth2: authorize }
  const repeatedHeaders = await request('repeats', headersOnly, token)
  const own = { webhooks: 'https://tenant.example/', webhooksCustomHeaders: [] }
  expect((await put('repeats', own, token)).status).toBe(200)
  for (const url of [repeated, repeatedHeaders])
    expect((await consent(url, 'repeats@mail.test')).status).toBe(303)
  const { webhooks, webhooksCustomHeaders: headers } = await rowOf('repeats')
  expect([webhooks, headers]).toEqual([own.webhooks, []])
})

test('updateAccount: account deleted before the consent, is neither created nor changed', async () => {
  await register('gone')
  const urls = [
    await request('gone', { name: 'New', oauth2: authorize }),
    await request('gone', { name: 'New', oauth2: authorize }),
  ]
  await gateway.call('DELETE', '/v1/account/gone')
  expect((await consent(urls[0] ?? '', 'gone@mail.test')).status).toBe(400)
  expect(provider.revoked.at(-1)).toMatchObject({ account: 'gone' })
  expect(await get('gone')).toMatchObject({ statusCode: 404 })
  await register('gone')
  expect((await consent(urls[1] ?? '', 'gone@mail.test')).status).toBe(400)
  expect(await get('gone')).toMatchObject({ name: 'gone' })
})

test('updateAccount: accounts of the authentication server, the consent replaces it', async () => {
  const auth = { user: 'served@mail.test' }
  await register('served', { oauth2: { provider: app, useAuthServer: true, auth } })
  const url = await request('served', { oauth2: { ...authorize, partial: true } })
  expect(await get('served')).toMatchObject({ oauth2: { useAuthServer: true } })
  expect((await consent(url, 'served@mail.test')).status).toBe(303)
  expect(await get('served')).toMatchObject({ oauth2: { useAuthServer: false } })
})

const typed = (auth: object) => ({
  imap: { host: 'imap.x.example', port: 993, secure: true, auth: { user: 'u', ...auth } },
})
test.each<[string, object, object]>([
  ['oauth2.redirectUrl', { authorize: true, provider: app }, {}],
  ['oauth2.provider', { authorize: true, redirectUrl }, {}],
  ['oauth2.refreshToken', { ...authorize, refreshToken: 'r' }, {}],
  ['imap.auth.pass', authorize, typed({ pass: 'p' })],
  ['imap.auth.accessToken', authorize, typed({ accessToken: 't' })],
])('updateAccount: with authorize, invalid %s is a 400 of the request', async (...row) => {
  const [path, oauth2, more] = row
  const account = path.toLowerCase()
  await register(account)
  const { status, body: problem } = await put(account, { oauth2, ...more })
  expect([status, problem.fields?.map((field) => field.path)]).toEqual([400, [path]])
  expect(await put('unknown', { oauth2: authorize })).toMatchObject({ status: 404 })
})

test('createAccount: with authorize, masks of an existing account keep its values', async () => {
  const headers = [{ key: 'X-Key', value: 'hush' }]
  const secrets = { webhooks: 'https://u:p@hooks.example/', proxy: 'socks5://u:p@proxy.example/' }
  await register('known', { ...secrets, webhooksCustomHeaders: headers })
  const before = await rowOf('known')
  const { webhooks, proxy, webhooksCustomHeaders } = await get('known')
  const masked = { webhooks, proxy, webhooksCustomHeaders }
  expect(JSON.stringify(masked).match(/\*{6}/g)).toHaveLength(3)
  const post = (body: object) =>
    gateway.call('POST', '/v1/account', {
      body: { account: 'known', name: 'New', oauth2: authorize, ...body },
    })
  const { status, body } = await post(masked)
  expect([status, Object.keys(body)]).toEqual([200, ['redirect']])
  // The masks in an account update stand for the values at the request, not for the values at the
  // consent.
  await put('known', { webhooksCustomHeaders: [{ key: 'X-Key', value: 'other' }] })
  const { location } = await consent(String(body['redirect']), 'known@mail.test')
  expect(location).toBe(`${redirectUrl}?account=known&state=existing`)
  const after = await rowOf('known')
  for (const member of ['webhooks', 'proxy', 'webhooksCustomHeaders'] as const)
    expect(after[member]).toEqual(before[member])
  expect(after.name).toBe('New')
})

test.each<[string, string, object]>([
  ['a new account', 'unseen', { webhooksCustomHeaders: [{ key: 'X-Key', value: '******' }] }],
  ['another header', 'masks', { webhooksCustomHeaders: [{ key: 'X-No', value: '******' }] }],
  ['a part of a value', 'masks', { webhooksCustomHeaders: [{ key: 'X-Key', value: 'a ******' }] }],
  ['another URL', 'masks', { webhooks: 'https://u:******@evil.example/' }],
  ['no proxy', 'masks', { proxy: 'socks5://u:******@proxy.example/' }],
])('createAccount: with authorize, a mask for %s is a 400, as of an update', async (...row) => {
  const [, account, masked] = row
  const webhooksCustomHeaders = [{ key: 'X-Key', value: 'hush' }]
  if (account === 'masks' && (await put(account, {})).status === 404)
    await register(account, { webhooks: 'https://u:p@hooks.example/', webhooksCustomHeaders })
  const body = { name: 'New', oauth2: authorize, ...masked }
  const answers = [await gateway.call('POST', '/v1/account', { body: { account, ...body } })]
  if (account === 'masks') answers.push(await put(account, body))
  const [path = ''] = Object.keys(masked)
  const message = `"${path}" contains a masked value that is not the stored one`
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 400, body: { message, fields: [{ path }] } })
  const stored = await db.selectFrom('oauth2Logins').select('registration').execute()
  expect(stored.filter(({ registration }) => registration?.account === account)).toEqual([])
})
