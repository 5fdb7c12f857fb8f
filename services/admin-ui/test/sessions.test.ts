import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { SessionList } from '@posthorn/contracts/admin/session'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
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

const email = 'owner@example.com'
let world: AdminWorld
let a: Replica
let b: Replica
let owner: TestBrowser
beforeAll(async () => {
  world = await adminWorld()
  ;[a, b] = await Promise.all([world.start(), world.start()])
  await setUpOwner(a)
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.db.deleteFrom('adminAttempts').execute()
  owner = await signIn(a)
})

async function signIn(replica: Replica, address?: string): Promise<TestBrowser> {
  const browser = replica.browser(address)
  expect((await browser.signIn(email)).status).toBe(200)
  return browser
}

/** Creates a browser with the same session at the other replica of admin-ui. */
function at(replica: Replica, { cookie }: TestBrowser): TestBrowser {
  const browser = replica.browser()
  browser.cookie = cookie
  return browser
}

/** Moves a time in the row of a browser's session back. */
async function age({ cookie = '' }: TestBrowser, column: string, minutes: number): Promise<void> {
  await sql`update admin_sessions set ${sql.ref(column)} = now() - make_interval(mins => ${minutes})
    where hash = ${hashOf(cookie)}`.execute(world.db)
}

test('sign-out: ends the session at every replica and clears the cookie', async () => {
  const { cookie } = owner
  expect((await owner.post('/admin/session/sign-out')).status).toBe(204)
  expect(owner.cookie).toBeUndefined()
  owner.cookie = cookie
  expect([await owner.status(), await at(b, owner).status()]).toEqual([401, 401])
  expect((await a.browser().post('/admin/session/sign-out')).status).toBe(204)
})

test('a second sign-in of a browser: ends its first session', async () => {
  const first = at(b, owner)
  await owner.signIn(email)
  expect([await owner.status(), await first.status()]).toEqual([200, 401])
})

test.each([
  ['seen_at', 61],
  ['expires_at', 0],
])('a session whose %s is %s minutes ago: has ended', async (column, minutes) => {
  await age(owner, column, minutes)
  expect([await owner.status(), await at(b, owner).status()]).toEqual([401, 401])
})

test('use of a session: extends the idle time, but not the end', async () => {
  await age(owner, 'seen_at', 59)
  const { body } = await owner.get('/admin/session')
  const session = world.db
    .selectFrom('adminSessions')
    .where('hash', '=', hashOf(owner.cookie ?? ''))
  const seen = session.select(sql<boolean>`seen_at > now() - interval '1 minute'`.as('isRecent'))
  await eventually(async () => (await seen.executeTakeFirst())?.isRecent === true)
  expect((await owner.get('/admin/session')).body).toEqual(body)
})

test('list of sessions: has address and browser of both, and ends one or all others', async () => {
  await owner.send('DELETE', '/admin/session/sessions')
  const other = await signIn(b, '192.0.2.7')
  const { body } = await owner.get<SessionList>('/admin/session/sessions')
  const browser = 'Firefox 140, Linux'
  expect(body.sessions).toMatchObject([
    { address: '192.0.2.7', browser, current: false },
    { browser, current: true },
  ])
  const path = `/admin/session/sessions/${body.sessions[0]?.id}`
  expect((await owner.send('DELETE', path)).body).toEqual({ ended: 1 })
  expect([await owner.status(), await other.status()]).toEqual([200, 401])
  const more = [await signIn(a), await signIn(b)]
  expect((await owner.send('DELETE', '/admin/session/sessions')).body).toEqual({ ended: 2 })
  expect(await Promise.all(more.map((browser) => browser.status()))).toEqual([401, 401])
  expect(await at(b, owner).status()).toBe(200)
})

test('sessions of others: are neither listed nor ended by their id', async () => {
  const { browser, session } = await join(owner, b, { email: 'other@example.com', role: 'auditor' })
  const { body } = await owner.get<SessionList>('/admin/session/sessions')
  expect(body.sessions.map(({ id }) => id)).not.toContain(session.session.id)
  const path = `/admin/session/sessions/${session.session.id}`
  expect((await owner.send('DELETE', path)).body).toEqual({ ended: 0 })
  expect(await browser.status()).toBe(200)
})

test('the end of a session: is broadcast with its id', async () => {
  const ids: (string | undefined)[] = []
  const bus = await world.connectBus()
  await bus.onInvalidate(({ topic, id }) => void (topic === 'adminSessions' && ids.push(id)))
  const other = await signIn(b)
  const { body } = await other.get<{ session: { id: string } }>('/admin/session')
  await owner.send('DELETE', '/admin/session/sessions')
  await eventually(() => Promise.resolve(ids.includes(body.session.id)))
})

describe('password change', () => {
  const chosen = 'a new password 123'

  test('cookies from before: are rejected by both replicas, the own session stays', async () => {
    const others = [await signIn(a), await signIn(b), at(b, owner)]
    const change = { current: password, new: chosen }
    expect((await owner.post('/admin/session/password', change)).status).toBe(204)
    expect(await Promise.all(others.map((browser) => browser.status()))).toEqual([401, 401, 401])
    expect(await at(b, owner).status()).toBe(200)
    expect((await a.browser().signIn(email)).status).toBe(401)
    expect((await b.browser().signIn(email, chosen)).status).toBe(200)
    const back = { current: chosen, new: password }
    expect((await owner.post('/admin/session/password', back)).status).toBe(204)
  })

  test.each([
    [{ current: 'wrong password', new: chosen }, 'current'],
    [{ new: chosen }, 'current'],
    [{ current: password, new: 'too short' }, 'new'],
  ])('change %j: is rejected with 400, the session stays', async (change, path) => {
    const reply = await owner.post('/admin/session/password', change)
    expect([reply.status, reply.body]).toMatchObject([400, { fields: [{ path }] }])
    expect(await owner.status()).toBe(200)
  })

  test('sign-ins during a change: open no session with the old password', async () => {
    const browsers = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? a : b).browser())
    const [change] = await Promise.all([
      owner.post('/admin/session/password', { current: password, new: chosen }),
      ...browsers.map((browser) => browser.signIn(email)),
    ])
    expect(change.status).toBe(204)
    for (const browser of browsers) expect(await browser.status()).toBe(401)
    await owner.post('/admin/session/password', { current: chosen, new: password })
  })
})

describe('step-up', () => {
  const codes = '/admin/session/recovery-codes'

  beforeAll(async () => {
    await new TestAuthBridge().serve(await world.connectBus())
  })

  test('an old factor: blocks until the password is repeated, at both replicas', async () => {
    await age(owner, 'factor_at', 11)
    const refused = await at(b, owner).post(codes)
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'StepUpRequired' }])
    const wrong = await owner.post('/admin/session/step-up', { password: 'wrong password' })
    expect(wrong.status).toBe(401)
    expect((await owner.post(codes)).status).toBe(403)
    expect((await owner.post('/admin/session/step-up', { code: '123456' })).status).toBe(400)
    expect((await owner.post('/admin/session/step-up', { password })).status).toBe(200)
    const { status, body } = await at(b, owner).post<{ recoveryCodes: string[] }>(codes)
    expect(status).toBe(200)
    expect(new Set(body.recoveryCodes).size).toBe(10)
    for (const code of body.recoveryCodes) expect(code).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
  })

  test('confirmed one-time codes: password and code are needed', async () => {
    const { body } = await owner.post<{ recoveryCodes: string[] }>(codes)
    const [first, second] = body.recoveryCodes
    const confirm = (totpConfirmed: boolean) =>
      world.db
        .updateTable('adminPeople')
        .set({ totpConfirmed })
        .where('email', '=', email)
        .execute()
    await confirm(true)
    const stepUp = (factors: object) => owner.post('/admin/session/step-up', factors)
    expect((await stepUp({ password })).status).toBe(400)
    expect((await stepUp({ password: 'wrong password', code: first })).status).toBe(401)
    expect((await stepUp({ password, code: '000000' })).status).toBe(401)
    expect((await stepUp({ password, code: first })).status).toBe(200)
    expect((await stepUp({ password, code: first })).status).toBe(401)
    expect((await stepUp({ password, code: second })).status).toBe(200)
    await confirm(false)
  })
})

describe('right to read mail', () => {
  const path = '/admin/session/mail-reading'
  const reason = { reason: 'Ticket 4711' }

  test('needs the right of the person, a reason and a recent factor', async () => {
    const person = { email: 'reader@example.com', role: 'support', mayReadMail: true }
    const { browser } = await join(owner, a, person)
    expect((await owner.post(path, reason)).status).toBe(403)
    expect((await browser.post(path, {})).status).toBe(400)
    for (const blank of ['    ', '\u200B\u200B\u200B', '\u2066\u00A0\u00AD', 'a\u202Eb c'])
      expect((await browser.post(path, { reason: blank })).status).toBe(400)
    await age(browser, 'factor_at', 11)
    expect((await browser.post(path, reason)).body).toMatchObject({ code: 'StepUpRequired' })
    await browser.post('/admin/session/step-up', { password })
    const { body } = await browser.post<{ mailReading: { until: string } }>(path, reason)
    expect(body.mailReading).toMatchObject(reason)
    const minutes = (Date.parse(body.mailReading.until) - Date.now()) / 60_000
    expect(Math.round(minutes)).toBe(15)
    expect((await at(b, browser).get('/admin/session')).body).toMatchObject({ mailReading: reason })
    expect((await browser.send('DELETE', path)).status).toBe(204)
    expect((await browser.get('/admin/session')).body['mailReading']).toEqual({})
    const audited = world.db.selectFrom('adminAudit').select(['phase', 'reason', 'email'])
    expect(await audited.where('reason', 'is not', null).orderBy('phase').execute()).toMatchObject([
      { phase: 'attempt', ...reason, email: person.email },
      { phase: 'outcome', ...reason, email: person.email },
    ])
  })
})
