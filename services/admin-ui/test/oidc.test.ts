import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { OpenIdFailure } from '@posthorn/contracts/admin/open-id-failures'
import type { NewLink } from '@posthorn/contracts/admin/people'
import type { Session } from '@posthorn/contracts/admin/session'
import {
  type AdminWorld,
  adminWorld,
  join,
  password,
  type Replica,
  setUpOwner,
  TestBrowser,
  tokenOf,
} from './fixture.ts'
import { TestIdProvider } from './open-id-provider.ts'

const provider = new TestIdProvider()
const { key } = provider
let world: AdminWorld
let a: Replica
let b: Replica
let owner: TestBrowser
beforeAll(async () => {
  await provider.listen()
  world = await adminWorld({
    SVC_ADMIN_OIDC_ISSUER: provider.issuer,
    SVC_ADMIN_OIDC_CLIENT_ID: 'posthorn',
    SVC_ADMIN_OIDC_CLIENT_SECRET: provider.clientSecret,
    SVC_ADMIN_OIDC_USERS: 'known@example.com,second@example.com,staff.example',
    SVC_ADMIN_OIDC_GROUPS: 'mail',
    SVC_ADMIN_OIDC_ROLES: 'mail-support=support,mail-ops=operator',
    SVC_ADMIN_OIDC_LOGOUT: 'https://id.example/logout',
  })
  ;[a, b] = await Promise.all([world.start(), world.start()])
  ;({ browser: owner } = await setUpOwner(a))
})
afterAll(async () => {
  await world.stop()
  await provider.close()
})

let people = 0
beforeEach(() => {
  people += 1
  provider.sub = `subject-${people}`
  provider.claims = { email: `person${people}@staff.example`, email_verified: true, name: 'Pat' }
  provider.changes = {}
  provider.key = key
})

/** Navigates a browser to an address. The check against forged requests permits the navigation. */
async function navigate(url: string, cookie = '') {
  const headers = { cookie, 'sec-fetch-site': 'cross-site', 'x-forwarded-for': '10.1.2.3' }
  const response = await fetch(url, { redirect: 'manual', headers })
  const cookies = response.headers.getSetCookie()
  const location = response.headers.get('location') ?? ''
  return { status: response.status, location, cookies, body: await response.text() }
}

const valueOf = (cookies: readonly string[], name: string) =>
  cookies.map((line) => new RegExp(`^${name}=([^;]+)`).exec(line)?.[1]).find(Boolean)

async function start(replica: Replica) {
  const { status, location, cookies } = await navigate(`${replica.url}/admin/session/oidc`)
  expect(status).toBe(303)
  return { location, cookies, cookie: `posthorn-oidc=${valueOf(cookies, 'posthorn-oidc')}` }
}

/** Signs a person in at the OpenID provider and returns to another replica of admin-ui. */
async function signIn() {
  const { location, cookie } = await start(a)
  return await callback(b, provider.authorize(location), cookie)
}

async function callback(replica: Replica, query: URLSearchParams, cookie: string) {
  const reply = await navigate(
    `${replica.url}/admin/session/oidc/callback?${query.toString()}`,
    cookie,
  )
  const browser = replica.browser()
  browser.cookie = valueOf(reply.cookies, 'posthorn-session')
  return { ...reply, browser }
}

/**
 * Expects that the browser gets the sign-in page with the reason of the failure, and no session.
 */
function expectFailure(
  { status, location, browser }: Awaited<ReturnType<typeof callback>>,
  failure: OpenIdFailure,
) {
  expect([status, location, browser.cookie]).toEqual([
    303,
    `/admin/sign-in?error=${failure}`,
    undefined,
  ])
}

const sessionOf = async (browser: TestBrowser) =>
  (await browser.get<Session>('/admin/session')).body

test('options: name the provider and the page after the sign-out', async () => {
  expect((await a.browser().get('/admin/session/options')).body).toEqual({
    setUp: false,
    passwords: true,
    oidc: { name: '127.0.0.1', logout: 'https://id.example/logout' },
  })
})

test('start: code flow with PKCE, nonce and a state bound to the browser', async () => {
  const { location, cookies } = await start(a)
  const url = new URL(location)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'posthorn',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    redirect_uri: `${a.url}/admin/session/oidc/callback`,
    nonce: expect.stringMatching(/^.{43}$/),
    state: expect.stringMatching(/^.{43}$/),
  })
  expect(cookies[0]).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
})

test('sign-in: creates an admitted person at the first sign-in, finds the person later', async () => {
  const { status, location, browser } = await signIn()
  expect([status, location]).toEqual([303, '/admin/'])
  const first = await sessionOf(browser)
  expect(first).toMatchObject({
    person: { email: provider.claims['email'], name: 'Pat', role: 'auditor', mayReadMail: false },
    factors: { password: false, oidc: true },
  })
  provider.claims = { email: 'renamed@staff.example' }
  const again = await sessionOf((await signIn()).browser)
  expect(again.person).toEqual(first.person)
})

test('sign-in: links an invited person by the verified email address, once', async () => {
  const { session } = await join(owner, a, { email: 'known@example.com', role: 'operator' })
  provider.claims = { email: 'Known@Example.com', email_verified: false }
  expectFailure(await signIn(), 'notAdmitted')
  provider.claims = { email: 'Known@Example.com' }
  expectFailure(await signIn(), 'notAdmitted')
  provider.claims = { email: 'Known@Example.com', email_verified: true }
  const { browser } = await signIn()
  expect((await sessionOf(browser)).person.id).toBe(session.person.id)
  provider.sub = 'another subject with the address'
  expectFailure(await signIn(), 'otherPerson')
})

test('sign-in: admitted by a group without a verified email address, is refused', async () => {
  provider.claims = { email: 'any@example.com', groups: ['mail'] }
  expectFailure(await signIn(), 'notVerified')
})

test.each([
  [['mail-support', 'mail'], 'support'],
  [['mail-support', 'mail-ops'], 'operator'],
  [['mail'], 'auditor'],
])('sign-in: groups %j, %s', async (groups, role) => {
  provider.claims = { email: `g${people}@example.com`, email_verified: true, groups }
  expect((await sessionOf((await signIn()).browser)).person.role).toBe(role)
})

test('sign-in: removed group, is refused and ends the sessions of the person', async () => {
  const email = 'leaver@example.com'
  provider.claims = { email, email_verified: true, groups: ['mail-ops'] }
  const { browser } = await signIn()
  expect(await browser.status()).toBe(200)
  provider.claims = { email, email_verified: true, groups: ['other'] }
  expectFailure(await signIn(), 'notAdmitted')
  expect(await browser.status()).toBe(401)
})

test('sign-in: changed group, changes the role and ends earlier sessions', async () => {
  const email = 'mover@example.com'
  provider.claims = { email, email_verified: true, groups: ['mail-ops'] }
  const { browser } = await signIn()
  provider.claims = { email, email_verified: true, groups: ['mail-support'] }
  expect((await sessionOf((await signIn()).browser)).person.role).toBe('support')
  expect(await browser.status()).toBe(401)
})

test('sign-in: stranger or disabled person, is refused', async () => {
  provider.claims = { email: 'stranger@example.com', email_verified: true }
  expectFailure(await signIn(), 'notAdmitted')
  provider.claims = { email: 'off@staff.example', email_verified: true }
  expect((await signIn()).location).toBe('/admin/')
  await world.db
    .updateTable('adminPeople')
    .set({ disabled: true })
    .where('email', '=', 'off@staff.example')
    .execute()
  expectFailure(await signIn(), 'notAdmitted')
})

const past = Math.floor(Date.now() / 1_000) - 3_600
test.each<[string, Record<string, unknown>]>([
  ['nonce', { nonce: 'x' }],
  ['no nonce', { nonce: undefined }],
  ['issuer', { iss: 'https://id.example' }],
  ['audience', { aud: 'other-client' }],
  ['expiry', { exp: past }],
])('callback: ID token with wrong %s, is refused', async (_, changes) => {
  provider.changes = changes
  expectFailure(await signIn(), 'refused')
})

test('callback: ID token of another key, is refused', async () => {
  provider.key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  expectFailure(await signIn(), 'refused')
})

test('callback: state of another browser, without cookie, replayed, is refused', async () => {
  const [mine, other] = [await start(a), await start(a)]
  const query = () => provider.authorize(mine.location)
  expectFailure(await callback(a, query(), other.cookie), 'refused')
  expectFailure(await callback(a, query(), ''), 'expired')
  const used = query()
  expect((await callback(b, used, mine.cookie)).location).toBe('/admin/')
  expectFailure(await callback(a, used, mine.cookie), 'expired')
  expectFailure(await callback(a, query(), mine.cookie), 'expired')
})

test.each([
  ['state', 'x'.repeat(43)],
  ['iss', 'https://id.example'],
  ['code', 'forged'],
])('callback: forged %s, is refused', async (name, value) => {
  const { location, cookie } = await start(a)
  const query = provider.authorize(location)
  query.set(name, value)
  expectFailure(await callback(a, query, cookie), 'refused')
})

test('callback: error of the provider, is refused and not shown', async () => {
  const { location, cookie } = await start(a)
  const state = new URL(location).searchParams.get('state') ?? ''
  const query = new URLSearchParams({
    error: 'access_denied',
    error_description: '<b>text</b>',
    state,
    iss: provider.issuer,
  })
  const reply = await callback(a, query, cookie)
  expectFailure(reply, 'refused')
  expect(reply.body).not.toContain('<b>')
})

test('provider without reply at the first use: the sign-in fails, then works', async () => {
  const port = Number(new URL(provider.issuer).port)
  const c = await world.start()
  await provider.close()
  const { location: failed } = await navigate(`${c.url}/admin/session/oidc`)
  expect(failed).toBe('/admin/sign-in?error=providerDown')
  await provider.listen(port)
  const { location, cookie } = await start(c)
  expect((await callback(c, provider.authorize(location), cookie)).location).toBe('/admin/')
})

test('audit log: contains sign-ins and neither code, state nor client secret', async () => {
  const { location, cookie } = await start(a)
  const query = provider.authorize(location)
  await callback(a, query, cookie)
  const rows = await world.db.selectFrom('adminAudit').selectAll().execute()
  expect(rows.map(({ operation }) => operation)).toContain('signInWithOpenId')
  const dump = JSON.stringify(rows)
  for (const secret of [query.get('code'), query.get('state'), provider.clientSecret])
    expect(dump).not.toContain(secret)
})

test('SVC_ADMIN_OIDC_ONLY: passwords are refused, the provider signs in', async () => {
  const invited = { email: 'invited@example.com', role: 'support' }
  const { body: link } = await owner.post<NewLink>('/admin/people/invitations', invited)
  Object.assign(world.env, { SVC_ADMIN_OIDC_ONLY: 'true' })
  const d = await world.start()
  const { body } = await d.browser().get('/admin/session/options')
  expect(body).toMatchObject({ passwords: false, oidc: { name: '127.0.0.1' } })
  expect((await d.browser().signIn('owner@example.com')).status).toBe(403)
  const ownerAtD = d.browser()
  ownerAtD.cookie = owner.cookie
  const change = { current: password, new: 'a new password 123' }
  expect((await ownerAtD.post('/admin/session/password', change)).status).toBe(403)
  expect((await ownerAtD.post('/admin/people/invitations', invited)).status).toBe(403)
  const accepted = { token: tokenOf(link), name: 'Invited', password }
  expect((await d.browser().post('/admin/session/invitation', accepted)).status).toBe(403)
  const { location, cookie } = await start(d)
  expect((await callback(d, provider.authorize(location), cookie)).location).toBe('/admin/')
})

test('sign-in: last owner whose groups give another role, stays owner without access', async () => {
  provider.claims = { email: 'owner@example.com', email_verified: true, groups: ['mail-ops'] }
  expectFailure(await signIn(), 'lastOwner')
  expect(await owner.status()).toBe(401)
  const { role } = await world.db
    .selectFrom('adminPeople')
    .select('role')
    .where('email', '=', 'owner@example.com')
    .executeTakeFirstOrThrow()
  expect(role).toBe('owner')
})
