import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { ensureSetUpLink } from '../src/identity/set-up-link.ts'
import {
  type AdminWorld,
  adminWorld,
  hashOf,
  password,
  type Replica,
  setupToken,
} from './fixture.ts'

const person = { email: 'Owner@Example.com', name: 'Olivia', password }

describe('with a configured token', () => {
  let world: AdminWorld
  let a: Replica
  let b: Replica
  beforeAll(async () => {
    world = await adminWorld()
    ;[a, b] = await Promise.all([world.start(), world.start()])
  })
  afterAll(() => world.stop())

  test('options: set-up is open until the first owner exists', async () => {
    const { body } = await a.browser().get('/admin/session/options')
    expect(body).toEqual({ setUp: true, passwords: true })
  })

  test.each([
    ['another token', { token: 'x'.repeat(43) }, 410],
    ['the stored hash as token', { token: hashOf(setupToken) }, 410],
    ['a short password', { token: setupToken, password: 'too short' }, 400],
    ['a long password', { token: setupToken, password: 'x'.repeat(1_001) }, 400],
    ['an unknown member', { token: setupToken, role: 'owner' }, 400],
    ['an invalid email address', { token: setupToken, email: 'no-address' }, 400],
  ])('set-up with %s: is rejected', async (_, changes, status) => {
    const browser = a.browser()
    const reply = await browser.post('/admin/session/set-up', { ...person, ...changes })
    expect(reply.status).toBe(status)
    expect(browser.cookie).toBeUndefined()
  })

  test('the link at two replicas at the same time: succeeds once, then 410', async () => {
    const browsers = [a, b, a, b].map((replica) => replica.browser())
    const use = { ...person, token: setupToken }
    const replies = await Promise.all(
      browsers.map((browser) => browser.post('/admin/session/set-up', use)),
    )
    expect(replies.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([
      200, 410, 410, 410,
    ])
    const winner = browsers[replies.findIndex(({ status }) => status === 200)]
    expect((await winner?.get('/admin/session'))?.body).toMatchObject({
      person: { email: 'owner@example.com', name: 'Olivia', role: 'owner', mayReadMail: false },
      factors: { password: true, totp: false, passkeys: 0, recoveryCodes: 0, oidc: false },
      mailReading: {},
    })
    const replay = { ...use, email: 'other@example.com' }
    expect((await b.browser().post('/admin/session/set-up', replay)).status).toBe(410)
    expect((await b.browser().get('/admin/session/options')).body).toMatchObject({ setUp: false })
  })

  test('a start after the set-up: makes the used link valid no more', async () => {
    const c = await world.start()
    const reply = await c.browser().post('/admin/session/set-up', { ...person, token: setupToken })
    expect(reply.status).toBe(410)
  })

  test('the database: contains neither token nor password', async () => {
    const rows = [
      await world.db.selectFrom('adminLinks').selectAll().execute(),
      await world.db.selectFrom('adminPeople').selectAll().execute(),
      await world.db.selectFrom('adminAudit').selectAll().execute(),
    ]
    const text = JSON.stringify(rows)
    expect(text).toContain(hashOf(setupToken))
    expect(text).not.toContain(setupToken)
    expect(text).not.toContain(password)
    expect(rows[1]).toMatchObject([
      { password: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) },
    ])
  })

  test('the audit log: has the attempt and the outcome of the set-up', async () => {
    const rows = await world.db
      .selectFrom('adminAudit')
      .select(['phase', 'outcome', 'email'])
      .where('operation', '=', 'setUp')
      .orderBy('at')
      .execute()
    const done = rows.filter(({ outcome }) => outcome === 'done')
    expect(done).toMatchObject([{ phase: 'outcome', email: 'Owner@Example.com' }])
    expect(rows.filter(({ phase }) => phase === 'attempt').length).toBeGreaterThan(0)
  })
})

describe('without a configured token', () => {
  let world: AdminWorld
  beforeAll(async () => {
    world = await adminWorld()
  })
  afterAll(() => world.stop())

  test('replicas that start at the same time: print one link', async () => {
    const print = jest.fn<(text: string) => void>()
    const options = { setupToken: undefined, origin: 'https://admin.example', print }
    await Promise.all([1, 2, 3].map(() => ensureSetUpLink(world.db, options)))
    expect(print).toHaveBeenCalledTimes(1)
    const text = print.mock.calls[0]?.[0] ?? ''
    const [, token = ''] =
      /https:\/\/admin\.example\/admin\/set-up#token=([\w-]{43})\n$/.exec(text) ?? []
    expect(await world.db.selectFrom('adminLinks').select('hash').execute()).toEqual([
      { hash: hashOf(token) },
    ])
  })

  test('a failed print: leaves no unknown link', async () => {
    await world.db.deleteFrom('adminLinks').execute()
    const print = () => {
      throw new Error('stderr is closed')
    }
    const options = { setupToken: undefined, origin: 'https://admin.example', print }
    await expect(ensureSetUpLink(world.db, options)).rejects.toThrow('stderr is closed')
    expect(await world.db.selectFrom('adminLinks').select('hash').execute()).toEqual([])
  })
})
