import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PasskeyList } from '@posthorn/contracts/admin/factors'
import type { Session } from '@posthorn/contracts/admin/session'
import {
  type AuthenticatorChanges,
  type ServerOptions,
  TestAuthenticator,
} from './authenticator.ts'
import {
  type AdminWorld,
  adminWorld,
  join,
  password,
  type Replica,
  setUpOwner,
  type TestBrowser,
} from './fixture.ts'

const origin = 'https://admin.example.com'
let world: AdminWorld
let a: Replica
let b: Replica
let owner: TestBrowser
beforeAll(async () => {
  world = await adminWorld({ SVC_ADMIN_URL: origin })
  ;[a, b] = await Promise.all([world.start(), world.start()])
  ;({ browser: owner } = await setUpOwner(a))
})
afterAll(() => world.stop())

/** Creates a passkey for the signed-in person of a browser. */
async function create(
  browser: TestBrowser,
  authenticator: TestAuthenticator,
  changes: AuthenticatorChanges = {},
) {
  const { body } = await browser.post<ServerOptions>('/admin/session/passkeys/options')
  const response = authenticator.create(body, changes)
  return browser.post('/admin/session/passkeys', { name: 'Laptop', response })
}

let people = 0
async function personWithPasskey() {
  const email = `person${(people += 1)}@example.com`
  const { browser, session } = await join(owner, a, { email, role: 'operator' })
  const authenticator = new TestAuthenticator(origin)
  expect((await create(browser, authenticator)).status).toBe(200)
  return { email, id: session.person.id, browser, authenticator }
}

const optionsOf = async (browser: TestBrowser, purpose = 'signIn') =>
  (await browser.post<ServerOptions>('/admin/session/passkey/options', { purpose })).body

async function signIn(
  replica: Replica,
  authenticator: TestAuthenticator,
  changes: AuthenticatorChanges = {},
) {
  const browser = replica.browser()
  const response = authenticator.use(await optionsOf(browser), changes)
  const reply = await browser.post<Session>('/admin/session/passkey', {
    response,
    purpose: 'signIn',
  })
  return { ...reply, browser, response }
}

test('options: discoverable passkey with user verification for the host of SVC_ADMIN_URL', async () => {
  const { browser } = await personWithPasskey()
  const { body } = await browser.post('/admin/session/passkeys/options')
  expect(body).toMatchObject({
    rp: { id: 'admin.example.com' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
    excludeCredentials: [{ type: 'public-key' }],
  })
  expect(await optionsOf(a.browser())).toMatchObject({
    rpId: 'admin.example.com',
    userVerification: 'required',
    allowCredentials: [],
  })
})

test('sign-in: with a passkey only, at another replica', async () => {
  const { email, authenticator } = await personWithPasskey()
  const { status, body, browser } = await signIn(b, authenticator)
  expect([status, body.person.email, body.factors.passkeys]).toEqual([200, email, 1])
  expect(await browser.status()).toBe(200)
})

test.each<[string, AuthenticatorChanges]>([
  ['of another origin', { origin: 'https://admin.example.org' }],
  ['of plain HTTP', { origin: 'http://admin.example.com' }],
  ['for another relying party', { rpId: 'example.com' }],
  ['without user verification', { isUserVerified: false }],
  ['with an unknown challenge', { challenge: 'x'.repeat(43) }],
  ['for another person', { userHandle: 'b3RoZXI' }],
])('sign-in: response %s, is refused', async (_, changes) => {
  const { authenticator } = await personWithPasskey()
  const { status, browser } = await signIn(a, authenticator, changes)
  expect([status, browser.cookie]).toEqual([401, undefined])
})

test.each<[string, AuthenticatorChanges]>([
  ['of another origin', { origin: 'https://admin.example.org' }],
  ['for another relying party', { rpId: 'example.com' }],
  ['without user verification', { isUserVerified: false }],
  ['with an unknown challenge', { challenge: 'x'.repeat(43) }],
])('creation: response %s, is refused', async (_, changes) => {
  const { browser } = await personWithPasskey()
  const reply = await create(browser, new TestAuthenticator(origin), changes)
  expect(reply.status).toBe(400)
})

test('creation: challenge of another person or of a sign-in, is refused', async () => {
  const [ann, bob] = [await personWithPasskey(), await personWithPasskey()]
  const foreign = await ann.browser.post<ServerOptions>('/admin/session/passkeys/options')
  for (const options of [foreign.body, await optionsOf(bob.browser)]) {
    const response = new TestAuthenticator(origin).create(options)
    expect((await bob.browser.post('/admin/session/passkeys', { response })).status).toBe(400)
  }
})

test('sign-in: a response at two replicas at the same time, counts once', async () => {
  const { authenticator } = await personWithPasskey()
  const first = await signIn(a, authenticator)
  const response = authenticator.use(await optionsOf(a.browser()))
  const replies = await Promise.all(
    [a, b, b].map((replica) =>
      replica.browser().post('/admin/session/passkey', { response, purpose: 'signIn' }),
    ),
  )
  expect(replies.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 401, 401])
  const replay = { response: first.response, purpose: 'signIn' }
  expect((await b.browser().post('/admin/session/passkey', replay)).status).toBe(401)
})

test('sign-in: cloned passkey with a counter that did not increase, is refused', async () => {
  const { authenticator } = await personWithPasskey()
  authenticator.counter = 5
  const clone = new TestAuthenticator(origin, authenticator)
  expect((await signIn(a, authenticator)).status).toBe(200)
  expect((await signIn(b, clone)).status).toBe(401)
  clone.counter = 0
  expect((await signIn(b, clone)).status).toBe(401)
  authenticator.counter = 6
  const both = await Promise.all([signIn(a, authenticator), signIn(b, authenticator)])
  expect(both.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 401])
})

test('sign-in: disabled person, deleted passkey, other key with the id, is refused', async () => {
  const { id, browser, authenticator } = await personWithPasskey()
  const forged = new TestAuthenticator(origin)
  Object.assign(forged, { id: authenticator.id })
  expect((await signIn(a, forged)).status).toBe(401)
  await world.db.updateTable('adminPeople').set({ disabled: true }).where('id', '=', id).execute()
  const failures = () =>
    world.db
      .selectFrom('adminAudit')
      .select('outcome')
      .where('operation', '=', 'signInWithPasskey')
      .where('outcome', '=', 'Unauthorized')
      .execute()
  const before = (await failures()).length
  expect((await signIn(a, authenticator)).status).toBe(401)
  expect(await failures()).toHaveLength(before + 1)
  await world.db.updateTable('adminPeople').set({ disabled: false }).where('id', '=', id).execute()
  const path = `/admin/session/passkeys/${authenticator.id.toString('base64url')}`
  expect((await browser.send('DELETE', path)).status).toBe(204)
  expect((await signIn(a, authenticator)).status).toBe(401)
})

test('step-up: renews the factor with a passkey of the person only', async () => {
  const [ann, bob] = [await personWithPasskey(), await personWithPasskey()]
  const old = new Date(Date.now() - 11 * 60_000)
  await world.db
    .updateTable('adminSessions')
    .set({ factorAt: old })
    .where('person', 'in', [ann.id, bob.id])
    .execute()
  const blocked = await ann.browser.post('/admin/session/passkeys/options')
  expect(blocked).toMatchObject({ status: 403, body: { code: 'StepUpRequired' } })
  const stepUp = async (authenticator: TestAuthenticator, purpose: string) => {
    const response = authenticator.use(await optionsOf(ann.browser, purpose))
    const body = { response, purpose: 'stepUp' }
    return (await ann.browser.post<Session>('/admin/session/passkey', body)).status
  }
  expect(await stepUp(bob.authenticator, 'stepUp')).toBe(400)
  expect(await stepUp(ann.authenticator, 'signIn')).toBe(400)
  expect(await stepUp(ann.authenticator, 'stepUp')).toBe(200)
  const { body } = await ann.browser.get<Session>('/admin/session')
  expect(Date.parse(body.session.factorAt)).toBeGreaterThan(old.getTime() + 60_000)
  expect((await bob.browser.post('/admin/session/passkeys/options')).status).toBe(403)
  const signedOut = await a.browser().post('/admin/session/passkey/options', { purpose: 'stepUp' })
  expect(signedOut.status).toBe(401)
})

test('passkeys: are listed, renamed and deleted by their person only', async () => {
  const [ann, bob] = [await personWithPasskey(), await personWithPasskey()]
  const path = `/admin/session/passkeys/${ann.authenticator.id.toString('base64url')}`
  expect((await bob.browser.send('PUT', path, { body: { name: 'x' } })).status).toBe(404)
  expect((await bob.browser.send('DELETE', path)).status).toBe(404)
  expect((await ann.browser.send('PUT', path, { body: { name: 'Phone' } })).status).toBe(204)
  await signIn(b, ann.authenticator)
  const { body } = await ann.browser.get<PasskeyList>('/admin/session/passkeys')
  expect(body.passkeys).toEqual([
    {
      id: ann.authenticator.id.toString('base64url'),
      name: 'Phone',
      createdAt: expect.any(String),
      usedAt: expect.any(String),
    },
  ])
})

test('deletion: the only way to sign in stays', async () => {
  const { id, browser, authenticator } = await personWithPasskey()
  await world.db.updateTable('adminPeople').set({ password: null }).where('id', '=', id).execute()
  const path = `/admin/session/passkeys/${authenticator.id.toString('base64url')}`
  expect((await browser.send('DELETE', path)).status).toBe(400)
  expect((await signIn(a, authenticator)).status).toBe(200)
})

test('creation: the 21st passkey is refused, also with concurrent requests', async () => {
  const { id, browser, authenticator } = await personWithPasskey()
  expect((await create(browser, authenticator)).status).toBe(400)
  const rows = Array.from({ length: 17 }, (_, n) => ({
    id: `${id}-${n}`,
    person: id,
    publicKey: Buffer.alloc(1),
    counter: '0',
    name: 'x',
  }))
  await world.db.insertInto('adminPasskeys').values(rows).execute()
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => create(browser, new TestAuthenticator(origin))),
  )
  expect(replies.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([
    200, 200, 400, 400, 400,
  ])
})

test('options: a flood of one network address is limited, others are not', async () => {
  const browser = a.browser('10.9.9.9')
  for (let batch = 0; batch < 10; batch += 1)
    await Promise.all(Array.from({ length: 10 }, () => optionsOf(browser)))
  const reply = await browser.post('/admin/session/passkey/options')
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '300'])
  const { authenticator, email } = await personWithPasskey()
  expect((await signIn(b, authenticator)).status).toBe(200)
  expect((await b.browser().signIn(email, password)).status).toBe(200)
})
