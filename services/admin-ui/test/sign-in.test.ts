import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { PasswordHasher } from '../src/identity/passwords.ts'
import { deriveCredential } from '../src/identity/secrets.ts'
import { TestAuthBridge } from './auth-bridge.ts'
import {
  type AdminWorld,
  adminWorld,
  hashOf,
  password,
  type Replica,
  setUpOwner,
} from './fixture.ts'

const email = 'owner@example.com'
let world: AdminWorld
let a: Replica
let b: Replica
beforeAll(async () => {
  world = await adminWorld()
  ;[a, b] = await Promise.all([world.start(), world.start()])
  await setUpOwner(a)
  await untilEarlyInWindow()
}, 180_000)
afterAll(() => world.stop())
beforeEach(() => world.db.deleteFrom('adminAttempts').execute())

/**
 * Waits until the time window in which sign-in attempts are counted lasts long enough for these
 * tests: a new window begins every 15 minutes and allows new attempts.
 */
function untilEarlyInWindow(): Promise<unknown> {
  const secondsLeft = sql<number>`900 - extract(epoch from now())::integer % 900`
  return eventually(
    async () => {
      const { rows } = await sql<{ left: number }>`select ${secondsLeft} as left`.execute(world.db)
      return Number(rows[0]?.left) > 90
    },
    { timeoutMs: 120_000 },
  )
}

const failures = () =>
  world.db.selectFrom('adminAudit').select('email').where('outcome', '=', 'Unauthorized').execute()

test('sign-in: the session of one replica is valid at the other', async () => {
  const browser = a.browser()
  const { status, body } = await browser.signIn('Owner@EXAMPLE.com')
  expect([status, body]).toMatchObject([200, { person: { email, role: 'owner' } }])
  const other = b.browser()
  other.cookie = browser.cookie
  expect((await other.get('/admin/session')).body).toEqual(body)
})

test.each([
  [{}, /^posthorn-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/],
  [
    { 'x-forwarded-proto': 'https' },
    /^__Host-posthorn-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  ],
])('cookie of a request with %j: %s', async (headers, pattern) => {
  const body = { email, password }
  const reply = await a.browser().send('POST', '/admin/session/sign-in', { body, headers })
  expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(pattern)])
})

test('unknown people, wrong passwords, disabled people: the same response', async () => {
  const stored = await new PasswordHasher().hash(password)
  const disabled = { id: 'p1', email: 'disabled@example.com', name: 'D', role: 'owner' as const }
  await world.db
    .insertInto('adminPeople')
    .values({ ...disabled, disabled: true, password: stored })
    .execute()
  const replies = [
    await a.browser().signIn('nobody@example.com'),
    await a.browser().signIn(email, 'wrong password'),
    await a.browser().signIn(disabled.email),
    await a.browser().signIn('not an address'),
  ]
  for (const { status, body, headers } of replies) {
    expect([status, body]).toEqual([401, replies[0]?.body])
    expect(headers.getSetCookie()).toEqual([])
  }
  // An entered text that is no email address may be a password, so the audit log does not have it.
  expect((await failures()).map((row) => row.email)).toEqual(
    expect.arrayContaining(['nobody@example.com', email, disabled.email, null]),
  )
})

test('forged values: no value but the cookie opens a session', async () => {
  const browser = a.browser()
  await browser.signIn(email)
  const cookie = browser.cookie ?? ''
  const row = await world.db
    .selectFrom('adminSessions')
    .selectAll()
    .where('hash', '=', hashOf(cookie))
    .executeTakeFirstOrThrow()
  const credential = deriveCredential(cookie, row.salt)
  expect(row.credentialHash).toBe(hashOf(credential))
  const { hash, id, salt, credentialHash } = row
  const forged = [hash, id, salt, credentialHash, credential, credential.slice(5)]
  for (const value of [...forged, `${cookie}A`, cookie.slice(1), "' or 1=1 --", '']) {
    const other = b.browser()
    other.cookie = value
    expect([value, await other.status()]).toEqual([value, 401])
  }
  expect(await browser.status()).toBe(200)
})

test.each([
  [{ 'x-svc-admin': '' }],
  [{ origin: 'https://evil.example' }],
  [{ 'sec-fetch-site': 'same-site' }],
])('a sign-in with %j: is refused as forged', async (headers) => {
  const body = { email, password }
  const reply = await a.browser().send('POST', '/admin/session/sign-in', { body, headers })
  expect([reply.status, reply.headers.getSetCookie()]).toEqual([403, []])
})

test('a stored hash with a lower cost: is renewed by the sign-in', async () => {
  const weak = await new PasswordHasher({ memory: 8_192, passes: 1, parallelism: 1 }).hash(password)
  const update = world.db.updateTable('adminPeople').where('email', '=', email)
  await update.set({ password: weak }).execute()
  expect((await a.browser().signIn(email, 'wrong password')).status).toBe(401)
  expect((await a.browser().signIn(email)).status).toBe(200)
  const person = world.db.selectFrom('adminPeople').select('password').where('email', '=', email)
  const { password: stored } = await person.executeTakeFirstOrThrow()
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect((await b.browser().signIn(email)).status).toBe(200)
})

describe('limits', () => {
  test('attempts for a person: are counted over both replicas and all addresses', async () => {
    for (let count = 0; count < 10; count++) {
      const reply = await (count % 2 === 0 ? a : b).browser().signIn(email, 'wrong password')
      expect(reply.status).toBe(401)
    }
    for (const replica of [a, b]) {
      const { status, body, headers } = await replica.browser().signIn(email)
      const ttl = Number(headers.get('retry-after'))
      expect([status, body]).toMatchObject([429, { ttl }])
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(900)
    }
    expect((await a.browser().signIn('nobody@example.com')).status).toBe(401)
  })

  test('a success: resets the attempts of the person', async () => {
    for (let count = 0; count < 9; count++) await a.browser().signIn(email, 'wrong password')
    expect((await b.browser().signIn(email)).status).toBe(200)
    for (let count = 0; count < 9; count++)
      expect((await b.browser().signIn(email, 'wrong password')).status).toBe(401)
  })

  test('attempts of an address: are limited for all people, other addresses are not', async () => {
    const address = '10.9.9.9'
    const statuses = new Map<number, number>()
    for (let count = 0; count < 52; count++) {
      const browser = (count % 2 === 0 ? a : b).browser(address)
      const { status } = await browser.signIn(`person${count}@example.com`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 50, 429: 2 })
    expect((await a.browser(address).signIn(email)).status).toBe(429)
    expect((await a.browser().signIn(email)).status).toBe(200)
  })

  test('a blocked address: does not lock other people out', async () => {
    const address = '10.9.9.8'
    for (let count = 0; count < 50; count++)
      await a.browser(address).signIn(`person${count}@example.com`)
    for (let count = 0; count < 11; count++)
      expect((await b.browser(address).signIn(email)).status).toBe(429)
    expect((await a.browser().signIn(email)).status).toBe(200)
  })

  test('failed sign-ins of others: a signed-in person can still confirm the password', async () => {
    const browser = a.browser()
    await browser.signIn(email)
    for (let count = 0; count < 11; count++) await b.browser().signIn(email, 'wrong password')
    expect((await a.browser().signIn(email)).status).toBe(429)
    expect((await browser.post('/admin/session/step-up', { password })).status).toBe(200)
    const change = { current: password, new: password }
    expect((await browser.post('/admin/session/password', change)).status).toBe(204)
    for (let count = 0; count < 10; count++)
      await browser.post('/admin/session/step-up', { password: 'wrong password' })
    expect((await browser.post('/admin/session/step-up', { password })).status).toBe(429)
  })

  test('100 parallel sign-ins: excess gets 429 with ttl, and the service stays usable', async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => a.browser().signIn(`flood${index}@example.com`)),
    )
    const rejected = replies.filter(({ status }) => status === 429)
    expect(rejected.length).toBeGreaterThan(0)
    expect(replies.filter(({ status }) => status === 401).length).toBe(100 - rejected.length)
    for (const { body, headers } of rejected)
      expect([body, headers.get('retry-after')]).toMatchObject([{ ttl: 2 }, '2'])
    // A password was not checked if too many hashings wait, so the sign-in attempt does not count.
    const counted = await world.db.selectFrom('adminAttempts').select('attempts').execute()
    const total = counted.reduce((sum, { attempts }) => sum + attempts, 0)
    expect(total).toBe(2 * (100 - rejected.length))
    expect((await a.browser().signIn(email)).status).toBe(200)
  })
})

describe('second factor', () => {
  const codeEmail = 'codes@example.com'
  let codes: string[] = []

  beforeAll(async () => {
    await new TestAuthBridge().serve(await world.connectBus())
  })
  beforeEach(async () => {
    await world.db.deleteFrom('adminPeople').where('email', '=', codeEmail).execute()
    codes = Array.from({ length: 10 }, (_, index) => `abcd-efgh-jkmn-pq2${index}`)
    const stored = await new PasswordHasher().hash(password)
    const person = { id: 'codes', email: codeEmail, name: 'C', role: 'support' as const }
    const recoveryCodes = codes.map((code) => hashOf(code.replaceAll('-', '')))
    await world.db
      .insertInto('adminPeople')
      .values({ ...person, password: stored, totpConfirmed: true, recoveryCodes })
      .execute()
  })

  const ticketOf = async (replica: Replica) => {
    const browser = replica.browser()
    const { body } = await browser.signIn(codeEmail)
    expect(browser.cookie).toBeUndefined()
    return (body as unknown as { secondFactor: { ticket: string } }).secondFactor.ticket
  }
  const enter = (replica: Replica, ticket: string, code: string | undefined) =>
    replica.browser().post('/admin/session/second-factor', { ticket, code })

  test('a recovery code: completes the sign-in once over both replicas', async () => {
    const [first, second] = [await ticketOf(a), await ticketOf(b)]
    const { status, body } = await enter(b, first, codes[0]?.toUpperCase().replaceAll('-', ' '))
    expect([status, body]).toMatchObject([200, { factors: { totp: true, recoveryCodes: 9 } }])
    expect((await enter(a, second, codes[0])).status).toBe(401)
    expect((await enter(a, second, codes[1])).status).toBe(200)
  })

  test('a used ticket and a forged ticket: are rejected', async () => {
    const ticket = await ticketOf(a)
    expect((await enter(a, ticket, codes[0])).status).toBe(200)
    for (const value of [ticket, hashOf(ticket), 'x'])
      expect((await enter(b, value, codes[1])).status).toBe(401)
  })

  test('one ticket with two codes at the same time: opens one session', async () => {
    const ticket = await ticketOf(a)
    const replies = await Promise.all([enter(a, ticket, codes[0]), enter(b, ticket, codes[1])])
    expect(replies.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 401])
  })

  test('wrong codes: use up the ticket, and are limited for the person', async () => {
    for (let tickets = 0; tickets < 2; tickets++) {
      const ticket = await ticketOf(a)
      for (let count = 0; count < 5; count++)
        expect((await enter(b, ticket, '123456')).status).toBe(401)
      expect((await enter(a, ticket, codes[0])).status).toBe(401)
    }
    expect((await enter(a, await ticketOf(a), codes[0])).status).toBe(429)
  })

  test('a changed password: makes the ticket invalid', async () => {
    const ticket = await ticketOf(a)
    const browser = b.browser()
    const opened = await ticketOf(b)
    await browser.post('/admin/session/second-factor', { ticket: opened, code: codes[0] })
    const change = { current: password, new: 'another password 2' }
    expect((await browser.post('/admin/session/password', change)).status).toBe(204)
    expect((await enter(a, ticket, codes[1])).status).toBe(401)
  })
})
