import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { hostedFormWorld, serviceUrl, unescape } from './hosted-form-world.ts'
import type { Consent } from './provider-stub.ts'

const world = await hostedFormWorld()
const { gateways, servers, provider } = world
const { db } = servers
const [gateway, other] = gateways
afterAll(() => world.stop())

const redirectUrl = 'https://app.example/done'
let app = ''
let hiddenApp = ''
beforeAll(async () => {
  app = await makeApp({ name: 'listed', title: 'Good Mail', includeInListing: true })
  hiddenApp = await makeApp({ name: 'hidden', includeInListing: false })
})
async function makeApp(config: object): Promise<string> {
  const body = {
    provider: 'gmail',
    enabled: true,
    clientId: 'id',
    clientSecret: 'secret',
    redirectUrl: `${serviceUrl}/oauth`,
    baseScopes: 'imap',
    ...config,
  }
  const answer = await gateway.call('POST', '/v1/oauth2', { body })
  expect(answer).toMatchObject({ status: 200 })
  return String(answer.body['id'])
}
async function makeLink(body: object = {}): Promise<string> {
  const answer = await gateway.call('POST', '/v1/authentication/form', {
    body: { redirectUrl, ...body },
  })
  expect(answer.status).toBe(200)
  return String(answer.body['url']).slice(serviceUrl.length)
}
async function page(path: string, from = gateway) {
  const response = await fetch(from.url + path, { redirect: 'manual' })
  const location = response.headers.get('location')
  return { status: response.status, location, html: await response.text() }
}
/** Goes to the provider by the link. */
async function goTo(link: string): Promise<string> {
  const { status, location } = await page(`${link}&type=${app}`)
  expect(status).toBe(303)
  return stateIn(location ?? '')
}
const stateIn = (url: string) => new URL(url).searchParams.get('state') ?? ''
const comeBack = (state: string, consent: Consent, from = gateway) =>
  page(`/oauth?code=${provider.consent(consent)}&state=${state}`, from)
/** The state of another try that a page offers. */
const again = (html: string) =>
  stateIn(unescape(/href="(https:\/\/provider[^"]*)"/.exec(html)?.[1] ?? ''))
const account = async (id: string) => (await gateway.call('GET', `/v1/account/${id}`)).body

test('the first page shows what is listed and enabled, and IMAP', async () => {
  const off = await makeApp({ name: 'off', includeInListing: true, enabled: false })
  const forApi = await makeApp({ name: 'api', includeInListing: true, baseScopes: 'api' })
  const { html } = await page(await makeLink())
  expect(html).not.toContain(forApi)
  expect(html).toContain('Sign in with Good Mail')
  expect(html).toContain('type=imap')
  expect(html).not.toContain(hiddenApp)
  expect(html).not.toContain(off)
  for (const type of [hiddenApp, off, 'nobody'])
    expect((await page(`${await makeLink()}&type=${type}`)).status).toBe(404)
  // A link may ask for one that is not listed: then nobody chooses.
  expect((await page(await makeLink({ type: hiddenApp }))).status).toBe(303)
})

test('who signs in is registered with the grant, and led back', async () => {
  const link = await makeLink({ account: 'signed', path: ['INBOX'], email: 'ann@mail.test' })
  const state = await goTo(link)
  expect(provider.started.at(-1)).toMatchObject({ app, state, loginHint: 'ann@mail.test' })
  const { status, location } = await comeBack(state, { user: 'ann@mail.test', name: 'Ann' })
  expect([status, location]).toEqual([303, `${redirectUrl}?account=signed&state=new`])
  expect(await account('signed')).toMatchObject({
    name: 'Ann',
    email: 'ann@mail.test',
    path: ['INBOX'],
    oauth2: { provider: app, auth: { user: 'ann@mail.test' } },
  })
  const stored = await db
    .selectFrom('credentials')
    .select(['kind', 'sealed'])
    .where('account', '=', 'signed')
    .execute()
  expect(stored).toEqual([{ kind: 'oauth2', sealed: 'sealed for signed by ann@mail.test' }])
  expect((await page(link)).status).toBe(410)
})

test('of a state only the hash is stored, and it is good once', async () => {
  const state = await goTo(await makeLink())
  const rows = await db.selectFrom('oauth2Logins').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(state)
  const hash = createHash('sha256').update(state).digest('hex')
  expect(rows.map((row) => row.state)).toContain(hash)
  // Whoever only looks uses nothing up.
  await fetch(`${gateway.url}/oauth?state=${state}&code=x`, { method: 'HEAD' })
  await fetch(`${gateway.url}/oauth?state=${state}&code=x`, {
    headers: { 'sec-purpose': 'prefetch' },
  })
  expect((await comeBack(state, { user: 'once@mail.test' })).status).toBe(303)
  const replayed = await comeBack(state, { user: 'once@mail.test' })
  expect([replayed.status, replayed.html.includes('This sign-in is over')]).toEqual([400, true])
})

test('a state that is unknown, old or none leads nowhere, and nobody is asked', async () => {
  const state = await goTo(await makeLink())
  await db
    .updateTable('oauth2Logins')
    .set({ expiresAt: new Date(Date.now() - 1_000) })
    .execute()
  const asked = provider.completed.length
  for (const query of [
    '',
    '?code=x',
    '?state=&code=x',
    `?state=${'x'.repeat(300)}&code=x`,
    '?state=x&code=x',
    `?state=${state}&code=x`,
  ])
    expect([query, (await page(`/oauth${query}`)).status]).toEqual([query, 400])
  expect(provider.completed).toHaveLength(asked)
})

test('of those who come back at once with one state, one goes on', async () => {
  const state = await goTo(await makeLink({ account: 'parallel' }))
  const code = provider.consent({ user: 'parallel@mail.test' })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      page(`/oauth?code=${code}&state=${state}`, n % 2 ? other : gateway),
    ),
  )
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(7)
})

test('two sign-ins of one link are one account, and the late one is led back', async () => {
  const link = await makeLink({ account: 'twice' })
  const states = [await goTo(link), await goTo(link)]
  const answers = await Promise.all(
    states.map((state) => comeBack(state, { user: 'twice@mail.test' })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410])
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', '=', 'twice')
    .execute()
  expect(events).toHaveLength(1)
  // The account lives by what the person granted: nothing of it is given back.
  expect(provider.revoked.filter(({ account }) => account === 'twice')).toEqual([])
})

test('who does not allow access, or is refused, can try again', async () => {
  const state = await goTo(await makeLink({ account: 'denied' }))
  const denied = await page(`/oauth?error=access_denied&error_description=<b>evil&state=${state}`)
  expect([denied.status, denied.html.includes('evil')]).toEqual([403, false])
  const refused = await page(`/oauth?error=server_error&state=${again(denied.html)}`)
  expect(refused.status).toBe(400)
  const unfit = await page(`/oauth?code=unknown&state=${again(refused.html)}`)
  expect(unfit.status).toBe(400)
  expect((await comeBack(again(unfit.html), { user: 'denied@mail.test' })).status).toBe(303)
})

test('what is missing is told, given back and asked for anew', async () => {
  const state = await goTo(await makeLink({ account: 'scopes' }))
  const short = await comeBack(state, {
    user: 's@mail.test',
    missingScopes: ['https://mail.example/<all>'],
  })
  expect([short.status, short.html.includes('https://mail.example/&lt;all&gt;')]).toEqual([
    403,
    true,
  ])
  expect(provider.revoked.at(-1)).toMatchObject({
    app,
    account: 'scopes',
    sealedGrant: 'sealed for scopes by s@mail.test',
  })
  expect(provider.started.at(-1)).toMatchObject({ app, consent: true })
  expect((await comeBack(again(short.html), { user: 's@mail.test' })).status).toBe(303)
})

test('another mailbox than the expected one is refused, and its grant given back', async () => {
  const state = await goTo(await makeLink({ account: 'pinned', expectedEmail: 'Right@mail.test' }))
  const wrong = await comeBack(state, { user: 'wrong@mail.test' })
  expect(wrong.status).toBe(403)
  for (const address of ['Right@mail.test', 'wrong@mail.test'])
    expect(wrong.html).toContain(address)
  expect(provider.revoked.at(-1)).toMatchObject({ account: 'pinned' })
  expect(await account('pinned')).toMatchObject({ statusCode: 404 })
  expect((await comeBack(again(wrong.html), { user: 'RIGHT@mail.test' })).status).toBe(303)
})

test('an address that nobody has verified proves nothing: no account has it, is matched by it, or changed', async () => {
  const owner = await goTo(await makeLink({ account: 'owner' }))
  await comeBack(owner, { user: 'owner@mail.test' })
  const claimed = { user: 'owner@mail.test', name: 'Not <the> owner', unverified: true } as const
  for (const link of [
    { account: 'claims' },
    { account: 'claims', expectedEmail: 'owner@mail.test' },
    { account: 'claims', email: 'team@mail.test', delegated: true },
    { account: 'owner' },
  ]) {
    const refused = await comeBack(await goTo(await makeLink(link)), claimed)
    expect([refused.status, refused.html.includes('This address is not confirmed')]).toEqual([
      403,
      true,
    ])
    expect(refused.html).toContain('<dd>owner@mail.test</dd>')
  }
  expect(await account('claims')).toMatchObject({ statusCode: 404 })
  expect(await account('owner')).toMatchObject({ name: 'owner@mail.test' })
})

test('who has the address verified meanwhile signs in again', async () => {
  const state = await goTo(await makeLink({ account: 'confirms' }))
  const refused = await comeBack(state, { user: 'confirms@mail.test', unverified: true })
  expect(provider.revoked.at(-1)).toMatchObject({ account: 'confirms' })
  expect((await comeBack(again(refused.html), { user: 'confirms@mail.test' })).status).toBe(303)
})

test('an account that is pinned stays so, whoever asks for consent', async () => {
  await gateway.call('POST', '/v1/account', {
    body: { account: 'stays', name: 'Stays', expectedEmail: 'stays@mail.test' },
  })
  const byForm = await comeBack(await goTo(await makeLink({ account: 'stays' })), {
    user: 'moved@mail.test',
  })
  expect(byForm.status).toBe(403)
  const parked = await gateway.call('POST', '/v1/account', {
    body: { account: 'stays', name: 'S', oauth2: { authorize: true, provider: app, redirectUrl } },
  })
  const state = stateIn(String(parked.body['redirect']))
  expect((await comeBack(state, { user: 'moved@mail.test' })).status).toBe(403)
})

test('a mailbox that another account has is not connected twice, and keeps its grant', async () => {
  const given = provider.revoked.length
  const first = await goTo(await makeLink({ account: 'has-it' }))
  await comeBack(first, { user: 'taken@mail.test' })
  const second = await comeBack(await goTo(await makeLink({ account: 'wants-it' })), {
    user: 'Taken@mail.test',
  })
  expect([second.status, second.html.includes('has-it')]).toEqual([400, false])
  // A provider takes back all that somebody has granted: not from under the account that has it.
  const pinned = await goTo(await makeLink({ expectedEmail: 'x@mail.test' }))
  expect((await comeBack(pinned, { user: 'taken@mail.test' })).status).toBe(403)
  expect(provider.revoked).toHaveLength(given)
  expect(await account('wants-it')).toMatchObject({ statusCode: 404 })
})

test('when nobody can be asked, nothing is lost but the try', async () => {
  const link = await makeLink({ account: 'patient' })
  const error = new AppError('unreachable', 'the provider is away')
  const away = await comeBack(await goTo(link), { user: 'patient@mail.test', error })
  expect(away.status).toBe(503)
  provider.closed = new AppError('unavailable', 'not now')
  expect((await page(`${link}&type=${app}`)).status).toBe(503)
  const closed = await page(`/oauth?error=x&state=${again(away.html)}`)
  expect([closed.status, closed.html.includes('provider.example')]).toEqual([400, false])
  provider.closed = new AppError('invalid', 'the application is not complete')
  expect((await page(`${link}&type=${app}`)).status).toBe(404)
  provider.closed = undefined
  expect((await comeBack(await goTo(link), { user: 'patient@mail.test' })).status).toBe(303)
})

test('an account that cannot be stored gives its grant back, and leaves the link', async () => {
  const link = await makeLink({ account: 'unstored' })
  const state = await goTo(link)
  await db.schema
    .alterTable('form_links')
    .addCheckConstraint('no_new', sql`account <> 'unstored' or state is null`)
    .execute()
  const failed = await comeBack(state, { user: 'unstored@mail.test' })
  await db.schema.alterTable('form_links').dropConstraint('no_new').execute()
  expect(failed.status).toBe(503)
  expect(provider.revoked.at(-1)).toMatchObject({ account: 'unstored' })
  expect(await account('unstored')).toMatchObject({ statusCode: 404 })
  expect((await comeBack(again(failed.html), { user: 'unstored@mail.test' })).status).toBe(303)
})

test('a registration that waits for consent ends here as well', async () => {
  const body = {
    account: 'api',
    name: 'By API',
    oauth2: { authorize: true, provider: app, redirectUrl },
    path: ['INBOX'],
  }
  const parked = await gateway.call('POST', '/v1/account', { body })
  expect(await account('api')).toMatchObject({ statusCode: 404 })
  const { location } = await comeBack(stateIn(String(parked.body['redirect'])), {
    user: 'api@mail.test',
  })
  expect(location).toBe(`${redirectUrl}?account=api&state=new`)
  const stored = await account('api')
  expect(stored).toMatchObject({
    name: 'By API',
    path: ['INBOX'],
    oauth2: { auth: { user: 'api@mail.test' } },
  })
  const repeated = await gateway.call('POST', '/v1/account', { body })
  const second = await comeBack(stateIn(String(repeated.body['redirect'])), {
    user: 'api@mail.test',
  })
  expect(second.location).toBe(`${redirectUrl}?account=api&state=existing`)
})

test('no password and no token is parked where it would lie open', async () => {
  const oauth2 = { authorize: true, provider: app, redirectUrl }
  const auth = { user: 'u', pass: 'p' }
  const bodies = [
    { account: 'p', name: 'P', oauth2, imap: { host: 'imap.test', port: 993, auth } },
    { account: 'p', name: 'P', oauth2, smtp: { host: 'smtp.test', port: 465, auth } },
    { account: 'p', name: 'P', oauth2: { ...oauth2, refreshToken: 'r' } },
  ]
  for (const body of bodies)
    expect((await gateway.call('POST', '/v1/account', { body })).status).toBe(400)
})

test('a shared mailbox is connected by whoever may use it', async () => {
  const state = await goTo(
    await makeLink({ account: 'shared', email: 'team@mail.test', delegated: true }),
  )
  await comeBack(state, { user: 'member@mail.test' })
  expect(await account('shared')).toMatchObject({
    email: 'team@mail.test',
    oauth2: { auth: { user: 'member@mail.test', delegatedUser: 'team@mail.test' } },
  })
})
