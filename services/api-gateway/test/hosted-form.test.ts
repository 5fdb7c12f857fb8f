import { afterAll, expect, test } from '@jest/globals'
import { linkTo } from '@posthorn/links'
import { eventually } from '@posthorn/testkit'
import { deleteExpired } from '../src/store/delete-expired.ts'
import { mint } from './gateway.ts'
import {
  fillIn,
  goodPass,
  hostedFormWorld,
  serviceUrl,
  targetOf,
  unescape,
} from './hosted-form-world.ts'

const world = await hostedFormWorld()
const { gateways, servers, key, unsealer } = world
const { db } = servers
const [gateway, other] = gateways
afterAll(() => world.stop())

const redirectUrl = 'https://app.example/done?x=1&y=a b'
async function makeLink(body: object = {}): Promise<string> {
  const response = await gateway.call('POST', '/v1/authentication/form', {
    body: { redirectUrl, ...body },
  })
  expect(response.status).toBe(200)
  return String(response.body['url']).slice(serviceUrl.length)
}
async function page(path: string, body?: URLSearchParams, from = gateway) {
  const init = body ? { method: 'POST', body } : {}
  const response = await fetch(from.url + path, { ...init, redirect: 'manual' })
  return { status: response.status, headers: response.headers, html: await response.text() }
}
/**
 * Opens a new link to the hosted form and submits its first page. Returns the page with the mail
 * server settings.
 */
async function openServersPage(body: object = {}, email = 'ann@known.test', pass = goodPass) {
  const link = await makeLink(body)
  const person = await page(link)
  const fields = fillIn(person.html, { name: 'Ann', email, pass })
  const response = await page(targetOf(person.html, 'imap'), fields)
  expect(response.status).toBe(200)
  return { link, html: response.html }
}
const submit = (html: string, values: Record<string, string> = {}, from = gateway) =>
  page(targetOf(html, 'imap/server'), fillIn(html, values), from)
const testLogin = (html: string, values: Record<string, string> = {}) =>
  page(targetOf(html, 'imap/test'), fillIn(html, values))
const redirectOf = (html: string) =>
  new URL(unescape(/http-equiv="refresh" content="0; url=([^"]*)"/.exec(html)?.[1] ?? ''))
const nonceOf = (link: string) => {
  const data = new URL(link, serviceUrl).searchParams.get('data') ?? ''
  return String((JSON.parse(Buffer.from(data, 'base64url').toString()) as { n: string }).n)
}

test('POST /v1/authentication/form: without serviceUrl, 500 MissingServiceURLSetup', async () => {
  await gateway.call('POST', '/v1/settings', { body: { serviceUrl: null } })
  const createForm = () =>
    gateway.call('POST', '/v1/authentication/form', { body: { redirectUrl } })
  await eventually(async () =>
    expect(await createForm()).toMatchObject({
      status: 500,
      body: { code: 'MissingServiceURLSetup' },
    }),
  )
  await gateway.call('POST', '/v1/settings', { body: { serviceUrl } })
  await eventually(async () => expect((await createForm()).status).toBe(200))
})

test.each<[string, object, string]>([
  ['no redirectUrl', {}, 'redirectUrl'],
  ['an invalid redirectUrl', { redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
  ['an invalid expectedEmail', { redirectUrl, expectedEmail: 'ann' }, 'expectedEmail'],
  ['a shared mailbox without email', { redirectUrl, delegated: true }, 'email'],
  ['an unknown field', { redirectUrl, nope: 1 }, 'nope'],
])('POST /v1/authentication/form: %s, 400', async (...[, body, path]) => {
  const response = await gateway.call('POST', '/v1/authentication/form', { body })
  expect([response.status, response.body.fields?.map((field) => field.path)]).toEqual([400, [path]])
})

test('POST /v1/authentication/form: 403 without write permission for the administration', async () => {
  const createForm = (token: string) =>
    gateway.call('POST', '/v1/authentication/form', { token, body: { redirectUrl } })
  const reader = await mint(gateway.call, { permissions: { actions: ['read'] } })
  const narrow = await mint(gateway.call, { permissions: { groups: ['account'] } })
  expect((await createForm(reader)).status).toBe(403)
  expect((await createForm(narrow)).status).toBe(403)
  expect((await createForm('no token')).status).toBe(401)
})

test('form link: contains a nonce only, no personal data', async () => {
  const link = await makeLink({
    email: 'ann@known.test',
    name: 'Ann',
    expectedEmail: 'ann@known.test',
  })
  const data = new URL(link, serviceUrl).searchParams.get('data') ?? ''
  expect(Object.keys(JSON.parse(Buffer.from(data, 'base64url').toString()) as object)).toEqual([
    'act',
    'n',
  ])
})

test('hosted form: autoconfig, test and registration, then redirects to redirectUrl', async () => {
  const { html } = await openServersPage({
    account: 'complete',
    notifyFrom: '2026-01-01T00:00:00.000Z',
    path: ['INBOX'],
  })
  expect(Object.fromEntries(fillIn(html))).toMatchObject({
    imapHost: 'imap.known.test',
    imapPort: '993',
    imapSecurity: 'tls',
    imapUser: 'ann@known.test',
    smtpHost: 'smtp.known.test',
    smtpPort: '587',
    imapPass: '',
  })
  const tested = await testLogin(html)
  expect(tested.status).toBe(200)
  expect(tested.html.match(/role="status"/g)).toHaveLength(2)
  expect(
    await db.selectFrom('accounts').select('account').where('account', '=', 'complete').execute(),
  ).toEqual([])
  const done = await submit(tested.html)
  expect(done.status).toBe(200)
  expect([...redirectOf(done.html).searchParams]).toEqual([
    ['x', '1'],
    ['y', 'a b'],
    ['account', 'complete'],
    ['state', 'new'],
  ])

  const { body } = await gateway.call('GET', '/v1/account/complete')
  expect(body).toMatchObject({
    name: 'Ann',
    email: 'ann@known.test',
    path: ['INBOX'],
    notifyFrom: '2026-01-01T00:00:00.000Z',
    imap: {
      host: 'imap.known.test',
      port: 993,
      secure: true,
      auth: { user: 'ann@known.test', pass: '******' },
    },
    smtp: { host: 'smtp.known.test', port: 587, secure: false },
  })
  const { sealed } = await db
    .selectFrom('credentials')
    .select('sealed')
    .where('account', '=', 'complete')
    .where('kind', '=', 'imap')
    .executeTakeFirstOrThrow()
  expect(await unsealer.unseal(sealed, 'credentials/complete/imap')).toBe(goodPass)
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', '=', 'complete')
    .execute()
  expect(events.map(({ event }) => event)).toEqual(['accountAdded'])
})

test('hosted form: pages contain passwords only encrypted, bound to the link', async () => {
  const { html } = await openServersPage()
  expect(html).not.toContain('sesame')
  const tested = await testLogin(html, { imapPass: 'other <sesame>' })
  expect(tested.html).not.toContain('sesame')
  const foreign = await openServersPage()
  const encrypted = fillIn(html).get('kept') ?? ''
  const stolen = await testLogin(foreign.html, Object.fromEntries([['kept', encrypted]]))
  expect(stolen.status).toBe(400)
  expect(stolen.html).toContain('id="imapPass-wrong"')
})

test('form link: 8 concurrent submissions on two replicas, one succeeds', async () => {
  const { link, html } = await openServersPage({ account: 'once' })
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, n) => submit(html, {}, n % 2 === 0 ? gateway : other)),
  )
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array<number>(7).fill(410),
  ])
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', '=', 'once')
    .execute()
  expect(events).toHaveLength(1)
  // The page of a used form link still leads to redirectUrl, in case the earlier response was lost.
  const again = await page(link)
  expect([again.status, again.html.includes('account=once&amp;state=new')]).toEqual([410, true])
})

test('hosted form: existing account, is updated and retains its other fields', async () => {
  await gateway.call('POST', '/v1/account', {
    body: { account: 'existing', name: 'Old', webhooks: 'https://hook.example/' },
  })
  const { html } = await openServersPage({ account: 'existing' })
  const done = await submit(html, { smtpHost: '' })
  expect(redirectOf(done.html).searchParams.get('state')).toBe('existing')
  const { body } = await gateway.call('GET', '/v1/account/existing')
  expect(body).toMatchObject({
    name: 'Ann',
    webhooks: 'https://hook.example/',
    imap: { host: 'imap.known.test' },
  })
  expect(body).not.toHaveProperty('smtp')
})

test('hosted form: failed login, shows the escaped reply and stores nothing', async () => {
  const { link, html } = await openServersPage({}, 'ann@known.test', 'wrong')
  const rejected = await submit(html)
  expect(rejected.status).toBe(422)
  expect(rejected.html).toContain('id="imapPass-wrong"')
  expect(rejected.html).toContain('NO &lt;b&gt;not&lt;/b&gt; you')
  // A rejected password leaves the form link valid, so that the correct password can be submitted.
  const done = await submit(rejected.html, { imapPass: goodPass })
  expect(done.status).toBe(200)
  expect((await page(link)).status).toBe(410)
})

test('hosted form: all servers that cannot be used, show the same text', async () => {
  const { html } = await openServersPage()
  const errorOf = async (imapHost: string) => {
    const { status, html: page } = await testLogin(html, { imapHost })
    return [status, /id="imapHost-wrong">([^<]*)/.exec(page)?.[1], /10\.1\.2\.3|ECONN/.test(page)]
  }
  const hosts = ['closed.test', 'forbidden.test', 'forged.test']
  const [closed, ...others] = await Promise.all(hosts.map(errorOf))
  expect(closed).toEqual([422, expect.stringContaining('No mail server'), false])
  expect(others).toEqual([closed, closed])
})

test('hosted form: invalid fields, show their errors and retain the values', async () => {
  const { html } = await openServersPage()
  const response = await testLogin(html, {
    imapHost: 'no host',
    imapPort: '70000',
    smtpPort: 'x',
    imapUser: '',
    smtpUser: 'a"b',
  })
  expect(response.status).toBe(400)
  for (const name of ['imapHost', 'imapPort', 'smtpPort', 'imapUser'])
    expect(response.html).toContain(`id="${name}-wrong"`)
  expect(fillIn(response.html).get('smtpUser')).toBe('a"b')
  const first = await page(await makeLink())
  const person = await page(
    targetOf(first.html, 'imap'),
    fillIn(first.html, { name: 'A', email: 'no', pass: 'x' }),
  )
  expect([person.status, person.html.includes('id="email-wrong"')]).toEqual([400, true])
})

test('hosted form: expectedEmail, rejects other addresses and user names', async () => {
  const pin = { expectedEmail: 'Ann@known.test' }
  const link = await makeLink(pin)
  const start = await page(link)
  expect(start.html).toMatch(/name="email" value="Ann@known.test"[^>]*readonly/)
  const bob = fillIn(start.html, { name: 'A', email: 'bob@known.test', pass: goodPass })
  const rejected = await page(targetOf(start.html, 'imap'), bob)
  expect([rejected.status, rejected.html.includes('Only Ann@known.test')]).toEqual([400, true])

  const { html } = await openServersPage(pin, 'ANN@known.test')
  for (const values of [
    { email: 'bob@known.test' },
    { imapUser: 'bob@known.test' },
    { imapUser: 'bob' },
    { smtpUser: 'bob' },
  ])
    expect((await submit(html, values as Record<string, string>)).status).toBe(400)
  expect((await submit(html, { imapUser: 'ann' })).status).toBe(200)
})

test('form link: at most 50 probes over all replicas, then 429', async () => {
  const { link, html } = await openServersPage()
  await db.updateTable('formLinks').set({ probes: 47 }).where('nonce', '=', nonceOf(link)).execute()
  expect((await testLogin(html)).status).toBe(200)
  expect((await submit(html, {}, other)).status).toBe(429)
  expect((await testLogin(html, { smtpHost: '' })).status).toBe(200)
  expect((await testLogin(html, { smtpHost: '' })).status).toBe(429)
})

test('form link: invalid 403, expired or deleted 410', async () => {
  const link = await makeLink()
  const url = new URL(link, serviceUrl)
  const data = url.searchParams.get('data') ?? ''
  const sig = url.searchParams.get('sig') ?? ''
  const invalidQueries = [
    '',
    `?data=${data}`,
    `?data=${data}&sig=${'A'.repeat(43)}`,
    `?data=${data}x&sig=${sig}`,
    `?data=${data}&sig=${sig.slice(0, -1)}`,
  ]
  for (const query of invalidQueries) {
    const { status, html } = await page(`/accounts/new${query}`)
    expect([query, status, html.includes('This link does not work')]).toEqual([query, 403, true])
    const posted = await page(`/accounts/new/imap/server${query}`, new URLSearchParams())
    expect(posted.status).toBe(403)
  }
  // The link has a valid signature, but is an unsubscribe link and no form link.
  const unsub =
    linkTo(serviceUrl, key, { act: 'unsub', acc: 'a', list: 'l', rcpt: 'r@x.example' }) ?? ''
  expect((await page(`/accounts/new${new URL(unsub).search}`)).status).toBe(403)
  await db
    .updateTable('formLinks')
    .set({ expiresAt: new Date(Date.now() - 1_000) })
    .where('nonce', '=', nonceOf(link))
    .execute()
  expect((await page(link)).status).toBe(410)
  await deleteExpired(db)
  const remaining = await db.selectFrom('formLinks').select('nonce').execute()
  expect(remaining.map(({ nonce }) => nonce)).not.toContain(nonceOf(link))
  expect(remaining).not.toEqual([])
  expect((await page(link)).status).toBe(410)
})

test('hosted form: security headers, and values with markup are escaped', async () => {
  await gateway.call('POST', '/v1/settings', { body: { pageBrandName: '<i>Brand' } })
  const evil = '"><script>alert(1)</script>'
  const link = await makeLink({ name: evil })
  const { html, headers } = await eventually(async () => {
    const response = await page(`${link}&theme=dark`)
    expect(response.html).toContain('&lt;i&gt;Brand')
    return response
  })
  expect(html).toContain('<html lang="en" data-theme="dark">')
  expect(targetOf(html, 'imap')).toContain('&theme=dark')
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(html).not.toContain('<script')
  expect(fillIn(html).get('name')).toBe(evil)
  const { html: serversHtml } = await openServersPage()
  const hostile = await testLogin(serversHtml, {
    imapHost: evil,
    imapUser: evil,
    name: evil,
    theme: evil,
  })
  expect(hostile.html).not.toContain('<script')
  expect(hostile.html).toContain('<html lang="en">')
})

test('hosted form: provider with app passwords, shows its instructions', async () => {
  const { html } = await page(await makeLink({ email: 'ann@gmail.com' }))
  expect(html).toContain('href="https://myaccount.google.com/apppasswords"')
})
