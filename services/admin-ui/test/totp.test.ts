import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Session } from '@posthorn/contracts/admin/session'
import { TestAuthBridge } from './auth-bridge.ts'
import {
  type AdminWorld,
  adminWorld,
  hashOf,
  join,
  password,
  type Replica,
  setUpOwner,
  type TestBrowser,
} from './fixture.ts'

const bridge = new TestAuthBridge()
let world: AdminWorld
let a: Replica
let b: Replica
let owner: TestBrowser
let serving: AsyncDisposable
beforeAll(async () => {
  world = await adminWorld()
  ;[a, b] = await Promise.all([world.start(), world.start()])
  ;({ browser: owner } = await setUpOwner(a))
  serving = await bridge.serve(await world.connectBus())
})
afterAll(() => world.stop())

interface Ticket {
  secondFactor: { ticket: string }
}

let people = 0
/** Creates a person with confirmed one-time codes, whose browser is signed in. */
async function personWithCodes() {
  const email = `person${(people += 1)}@example.com`
  const { browser, session } = await join(owner, a, { email, role: 'operator' })
  const { id } = session.person
  const created = await browser.post<{ seed: string; uri: string }>('/admin/session/totp')
  const confirmed = await confirm(browser, bridge.codeOf(id))
  return { id, email, browser, created, confirmed, recoveryCodes: confirmed.body.recoveryCodes }
}

const confirm = (browser: TestBrowser, code: string) =>
  browser.post<{ recoveryCodes: string[] }>('/admin/session/totp/confirm', { code })

/**
 * Signs a person in with password and code in a new browser. Returns the HTTP status of the second
 * step.
 */
async function signIn(replica: Replica, email: string, code: string): Promise<number> {
  const browser = replica.browser()
  const { ticket } = ((await browser.signIn(email)).body as unknown as Ticket).secondFactor
  expect(browser.cookie).toBeUndefined()
  return (await browser.post('/admin/session/second-factor', { ticket, code })).status
}

/** Makes the last factor of a person's sessions older than ten minutes. */
const ageFactors = (person: string) =>
  world.db
    .updateTable('adminSessions')
    .set({ factorAt: new Date(Date.now() - 11 * 60_000) })
    .where('person', '=', person)
    .execute()

beforeEach(() => {
  // Each test uses new time steps of one-time codes.
  bridge.step += 10
})

test('setup: returns seed and URI once, and ten recovery codes after a correct code', async () => {
  const { email, browser, created, recoveryCodes } = await personWithCodes()
  const label = encodeURIComponent(email)
  expect(created.body.uri).toBe(
    `otpauth://totp/Posthorn:${label}?secret=${created.body.seed}&issuer=Posthorn&algorithm=SHA1&digits=6&period=30`,
  )
  expect(new Set(recoveryCodes).size).toBe(10)
  const { body } = await browser.get<Session>('/admin/session')
  expect(body.factors).toMatchObject({ totp: true, recoveryCodes: 10 })
  expect(JSON.stringify(body)).not.toContain(created.body.seed)
  expect((await browser.post('/admin/session/totp')).status).toBe(400)
})

test('setup: without a correct code, the codes are not active', async () => {
  const email = 'unconfirmed@example.com'
  const { browser, session } = await join(owner, a, { email, role: 'auditor' })
  expect((await confirm(browser, '123456')).status).toBe(400)
  await browser.post('/admin/session/totp')
  const correct = bridge.codeOf(session.person.id)
  const wrong = correct === '123456' ? '654321' : '123456'
  for (let attempt = 0; attempt < 10; attempt += 1)
    expect((await confirm(browser, wrong)).status).toBe(400)
  const late = await confirm(browser, correct)
  expect(late).toMatchObject({ status: 400, body: { message: expect.stringMatching(/expired/) } })
  expect((await a.browser().signIn(email)).body).toHaveProperty('session')
})

test('sign-in: the code that confirmed the seed is used up', async () => {
  const { id, email } = await personWithCodes()
  expect(await signIn(b, email, bridge.codeOf(id))).toBe(401)
})

test('sign-in: a code at two replicas at the same time counts once', async () => {
  const { id, email } = await personWithCodes()
  bridge.step += 2
  const code = bridge.codeOf(id)
  const statuses = await Promise.all([a, b, a, b].map((replica) => signIn(replica, email, code)))
  expect(statuses.toSorted((x, y) => x - y)).toEqual([200, 401, 401, 401])
  expect(await signIn(b, email, code)).toBe(401)
})

test.each([
  [-2, 401],
  [-1, 200],
  [0, 200],
  [1, 200],
  [2, 401],
])('sign-in: code of %d steps from now, %d', async (steps, status) => {
  const { id, email } = await personWithCodes()
  bridge.step += 5
  expect(await signIn(b, email, bridge.codeOf(id, bridge.step + steps))).toBe(status)
})

test('sign-in: a code before the last used code is refused', async () => {
  const { id, email } = await personWithCodes()
  bridge.step += 5
  expect(await signIn(a, email, bridge.codeOf(id, bridge.step + 1))).toBe(200)
  expect(await signIn(b, email, bridge.codeOf(id))).toBe(401)
})

test('sign-in: a code of another person is refused', async () => {
  const [{ email }, other] = [await personWithCodes(), await personWithCodes()]
  bridge.step += 5
  expect(await signIn(a, email, bridge.codeOf(other.id))).toBe(401)
})

test('sign-in: a recovery code counts once', async () => {
  const { email, recoveryCodes } = await personWithCodes()
  const code = recoveryCodes[3] ?? ''
  const statuses = await Promise.all([a, b].map((replica) => signIn(replica, email, code)))
  expect(statuses.toSorted((x, y) => x - y)).toEqual([200, 401])
})

test('removal: needs a recent factor, then the password suffices', async () => {
  const { id, email, browser } = await personWithCodes()
  await ageFactors(id)
  expect(await browser.send('DELETE', '/admin/session/totp')).toMatchObject({
    status: 403,
    body: { code: 'StepUpRequired' },
  })
  bridge.step += 5
  const stepUp = { password, code: bridge.codeOf(id) }
  expect((await browser.post('/admin/session/step-up', stepUp)).status).toBe(200)
  expect((await browser.send('DELETE', '/admin/session/totp')).status).toBe(204)
  expect((await b.browser().signIn(email)).body).toMatchObject({
    factors: { totp: false, recoveryCodes: 0 },
  })
})

test('setup: needs a recent factor', async () => {
  const { browser, session } = await join(owner, a, { email: 'old@example.com', role: 'auditor' })
  await ageFactors(session.person.id)
  expect((await browser.post('/admin/session/totp')).body).toMatchObject({ code: 'StepUpRequired' })
})

describe('without auth-bridge', () => {
  test('codes: are unavailable, recovery codes work and no attempt is counted', async () => {
    const { id, email, browser, recoveryCodes } = await personWithCodes()
    await serving[Symbol.asyncDispose]()
    expect(await signIn(b, email, bridge.codeOf(id))).toBe(503)
    const counted = await world.db
      .selectFrom('adminAttempts')
      .select('attempts')
      .where('subject', '=', `code ${hashOf(id)}`)
      .execute()
    expect(counted).toEqual([{ attempts: 0 }])
    expect(await signIn(b, email, recoveryCodes[0] ?? '')).toBe(200)
    expect((await browser.get('/admin/session')).status).toBe(200)
    const newcomer = await join(owner, a, { email: 'late@example.com', role: 'auditor' })
    expect(await newcomer.browser.post('/admin/session/totp')).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('auth-bridge does not respond') },
    })
  })
})
