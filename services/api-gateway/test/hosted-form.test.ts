import { afterAll, expect, test } from '@jest/globals'
import { linkTo } from '@posthorn/links'
import { eventually } from '@posthorn/testkit'
import { deleteExpired } from '../src/store/delete-expired.ts'
import { mint } from './gateway.ts'
import { fillIn, goodPass, hostedFormWorld, serviceUrl, unescape } from './hosted-form-world.ts'

const world = await hostedFormWorld()
const { gateways, servers, key, opener } = world
const { db } = servers
const [gateway, other] = gateways
afterAll(() => world.stop())

const redirectUrl = 'https://app.example/done?x=1&y=a b'
async function makeLink(body: object = {}): Promise<string> {
  const answer = await gateway.call('POST', '/v1/authentication/form', {
    body: { redirectUrl, ...body },
  })
  expect(answer.status).toBe(200)
  return String(answer.body['url']).slice(serviceUrl.length)
}
async function page(path: string, body?: URLSearchParams, from = gateway) {
  const how = body ? { method: 'POST', body } : {}
  const response = await fetch(from.url + path, { ...how, redirect: 'manual' })
  return { status: response.status, headers: response.headers, html: await response.text() }
}
/** Gets as far as the page with the servers. */
async function servered(body: object = {}, email = 'ann@known.test', pass = goodPass) {
  const link = await makeLink(body)
  const person = await page(link)
  const filled = fillIn(person.html, { name: 'Ann', email, pass })
  const answer = await page('/accounts/new/imap', filled)
  expect(answer.status).toBe(200)
  return { link, html: answer.html }
}
const submit = (html: string, filled: Record<string, string> = {}, from = gateway) =>
  page('/accounts/new/imap/server', fillIn(html, filled), from)
const attempt = (html: string, filled: Record<string, string> = {}) =>
  page('/accounts/new/imap/test', fillIn(html, filled))
const back = (html: string) =>
  new URL(unescape(/http-equiv="refresh" content="0; url=([^"]*)"/.exec(html)?.[1] ?? ''))
const nonceOf = (link: string) => {
  const data = new URL(link, serviceUrl).searchParams.get('data') ?? ''
  return String((JSON.parse(Buffer.from(data, 'base64url').toString()) as { n: string }).n)
}

test('without an address of the service there is no form', async () => {
  await gateway.call('POST', '/v1/settings', { body: { serviceUrl: null } })
  const ask = () => gateway.call('POST', '/v1/authentication/form', { body: { redirectUrl } })
  await eventually(async () =>
    expect(await ask()).toMatchObject({ status: 500, body: { code: 'MissingServiceURLSetup' } }),
  )
  await gateway.call('POST', '/v1/settings', { body: { serviceUrl } })
  await eventually(async () => expect((await ask()).status).toBe(200))
})

test.each<[string, object, string]>([
  ['no address to go back to', {}, 'redirectUrl'],
  ['one that is none', { redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
  ['an expected address that is none', { redirectUrl, expectedEmail: 'ann' }, 'expectedEmail'],
  ['a shared mailbox without an address', { redirectUrl, delegated: true }, 'email'],
  ['a field nobody knows', { redirectUrl, nope: 1 }, 'nope'],
])('%s is a 400', async (...[, body, path]) => {
  const answer = await gateway.call('POST', '/v1/authentication/form', { body })
  expect([answer.status, answer.body.fields?.map((field) => field.path)]).toEqual([400, [path]])
})

test('it is for tokens that may write what is the administrator’s', async () => {
  const ask = (token: string) =>
    gateway.call('POST', '/v1/authentication/form', { token, body: { redirectUrl } })
  const reader = await mint(gateway.call, { permissions: { actions: ['read'] } })
  const narrow = await mint(gateway.call, { permissions: { groups: ['account'] } })
  expect((await ask(reader)).status).toBe(403)
  expect((await ask(narrow)).status).toBe(403)
  expect((await ask('no token')).status).toBe(401)
})

test('a link says nothing of whom it is for', async () => {
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

test('from the link to the account: found, tested, registered, and led back', async () => {
  const { html } = await servered({
    account: 'walked',
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
  const tested = await attempt(html)
  expect(tested.status).toBe(200)
  expect(tested.html.match(/role="status"/g)).toHaveLength(2)
  expect(
    await db.selectFrom('accounts').select('account').where('account', '=', 'walked').execute(),
  ).toEqual([])
  const done = await submit(tested.html)
  expect(done.status).toBe(200)
  expect([...back(done.html).searchParams]).toEqual([
    ['x', '1'],
    ['y', 'a b'],
    ['account', 'walked'],
    ['state', 'new'],
  ])

  const { body } = await gateway.call('GET', '/v1/account/walked')
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
    .where('account', '=', 'walked')
    .where('kind', '=', 'imap')
    .executeTakeFirstOrThrow()
  expect(await opener.unseal(sealed, 'credentials/walked/imap')).toBe(goodPass)
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', '=', 'walked')
    .execute()
  expect(events.map(({ event }) => event)).toEqual(['accountAdded'])
})

test('the password is in no page, and what stands for it opens for no other link', async () => {
  const { html } = await servered()
  expect(html).not.toContain('sesame')
  const tested = await attempt(html, { imapPass: 'other <sesame>' })
  expect(tested.html).not.toContain('sesame')
  const foreign = await servered()
  const kept = fillIn(html).get('kept') ?? ''
  const stolen = await attempt(foreign.html, { kept })
  expect(stolen.status).toBe(400)
  expect(stolen.html).toContain('id="imapPass-wrong"')
})

test('a link works once, also where it is used many times at once on both replicas', async () => {
  const { link, html } = await servered({ account: 'once' })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => submit(html, {}, n % 2 === 0 ? gateway : other)),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array<number>(7).fill(410),
  ])
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', '=', 'once')
    .execute()
  expect(events).toHaveLength(1)
  // Whoever did not see the answer is led back all the same.
  const again = await page(link)
  expect([again.status, again.html.includes('account=once&amp;state=new')]).toEqual([410, true])
})

test('an account that is there is changed, and keeps what the form does not ask for', async () => {
  await gateway.call('POST', '/v1/account', {
    body: { account: 'there', name: 'Old', webhooks: 'https://hook.example/' },
  })
  const { html } = await servered({ account: 'there' })
  const done = await submit(html, { smtpHost: '' })
  expect(back(done.html).searchParams.get('state')).toBe('existing')
  const { body } = await gateway.call('GET', '/v1/account/there')
  expect(body).toMatchObject({
    name: 'Ann',
    webhooks: 'https://hook.example/',
    imap: { host: 'imap.known.test' },
  })
  expect(body).not.toHaveProperty('smtp')
})

test('what a server says of a login is shown as text, and stores nothing', async () => {
  const { link, html } = await servered({}, 'ann@known.test', 'wrong')
  const refused = await submit(html)
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('id="imapPass-wrong"')
  expect(refused.html).toContain('NO &lt;b&gt;not&lt;/b&gt; you')
  // Entered again it goes on, with the same link.
  const done = await submit(refused.html, { imapPass: goodPass })
  expect(done.status).toBe(200)
  expect((await page(link)).status).toBe(410)
})

test('a port that is closed and one that is forbidden look the same', async () => {
  const { html } = await servered()
  const fault = async (imapHost: string) => {
    const { status, html: page } = await attempt(html, { imapHost })
    return [status, /id="imapHost-wrong">([^<]*)/.exec(page)?.[1], /10\.1\.2\.3|ECONN/.test(page)]
  }
  const closed = await fault('closed.test')
  expect(closed).toEqual([422, expect.stringContaining('No mail server'), false])
  expect(await fault('forbidden.test')).toEqual(closed)
  expect((await fault('forged.test'))[1]).toContain('certificate')
})

test('what is wrong is told at its field, and what was filled in stays', async () => {
  const { html } = await servered()
  const answer = await attempt(html, {
    imapHost: 'no host',
    imapPort: '70000',
    smtpPort: 'x',
    imapUser: '',
    smtpUser: 'a"b',
  })
  expect(answer.status).toBe(400)
  for (const name of ['imapHost', 'imapPort', 'smtpPort', 'imapUser'])
    expect(answer.html).toContain(`id="${name}-wrong"`)
  expect(fillIn(answer.html).get('smtpUser')).toBe('a"b')
  const person = await page(
    '/accounts/new/imap',
    fillIn((await page(await makeLink())).html, { name: 'A', email: 'no', pass: 'x' }),
  )
  expect([person.status, person.html.includes('id="email-wrong"')]).toEqual([400, true])
})

test('a pinned mailbox is the only one that gets through', async () => {
  const pin = { expectedEmail: 'Ann@known.test' }
  const link = await makeLink(pin)
  const start = await page(link)
  expect(start.html).toMatch(/name="email" value="Ann@known.test"[^>]*readonly/)
  const bob = fillIn(start.html, { name: 'A', email: 'bob@known.test', pass: goodPass })
  const refused = await page('/accounts/new/imap', bob)
  expect([refused.status, refused.html.includes('Only Ann@known.test')]).toEqual([400, true])

  const { html } = await servered(pin, 'ANN@known.test')
  for (const filled of [
    { email: 'bob@known.test' },
    { imapUser: 'bob@known.test' },
    { imapUser: 'bob' },
    { smtpUser: 'bob' },
  ])
    expect((await submit(html, filled as Record<string, string>)).status).toBe(400)
  expect((await submit(html, { imapUser: 'ann' })).status).toBe(200)
})

test('fifty servers are asked for one link, on all replicas together', async () => {
  const { link, html } = await servered()
  await db.updateTable('formLinks').set({ probes: 47 }).where('nonce', '=', nonceOf(link)).execute()
  expect((await attempt(html)).status).toBe(200)
  expect((await submit(html, {}, other)).status).toBe(429)
  expect((await attempt(html, { smtpHost: '' })).status).toBe(200)
  expect((await attempt(html, { smtpHost: '' })).status).toBe(429)
})

test('a link that is not ours, is old or tampered with opens nothing, and says so', async () => {
  const link = await makeLink()
  const url = new URL(link, serviceUrl)
  const data = url.searchParams.get('data') ?? ''
  const sig = url.searchParams.get('sig') ?? ''
  const bad = [
    '',
    `?data=${data}`,
    `?data=${data}&sig=${'A'.repeat(43)}`,
    `?data=${data}x&sig=${sig}`,
    `?data=${data}&sig=${sig.slice(0, -1)}`,
  ]
  for (const query of bad) {
    const { status, html } = await page(`/accounts/new${query}`)
    expect([query, status, html.includes('This link does not work')]).toEqual([query, 403, true])
    const posted = await page('/accounts/new/imap/server', new URLSearchParams(query))
    expect(posted.status).toBe(403)
  }
  // Right for another door.
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
  const left = await db.selectFrom('formLinks').select('nonce').execute()
  expect(left.map(({ nonce }) => nonce)).not.toContain(nonceOf(link))
  expect(left).not.toEqual([])
  expect((await page(link)).status).toBe(410)
})

test('no script runs, nobody frames it, and nothing that is put in becomes markup', async () => {
  await gateway.call('POST', '/v1/settings', { body: { pageBrandName: '<i>Brand' } })
  const evil = '"><script>alert(1)</script>'
  const link = await makeLink({ name: evil })
  const { html, headers } = await eventually(async () => {
    const answer = await page(`${link}&theme=dark`)
    expect(answer.html).toContain('&lt;i&gt;Brand')
    return answer
  })
  expect(html).toContain('<html lang="en" data-theme="dark">')
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(html).not.toContain('<script')
  expect(fillIn(html).get('name')).toBe(evil)
  const { html: served } = await servered()
  const hostile = await attempt(served, { imapHost: evil, imapUser: evil, name: evil, theme: evil })
  expect(hostile.html).not.toContain('<script')
  expect(hostile.html).toContain('<html lang="en">')
})

test('users of providers that want other passwords are told before they type one', async () => {
  const { html } = await page(await makeLink({ email: 'ann@gmail.com' }))
  expect(html).toContain('href="https://myaccount.google.com/apppasswords"')
})
