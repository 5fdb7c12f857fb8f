import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { NewLink, PersonList, PeopleSessionList } from '@posthorn/contracts/admin/people'
import type { Session } from '@posthorn/contracts/admin/session'
import { sql } from 'kysely'
import {
  type AdminWorld,
  adminWorld,
  hashOf,
  join,
  password,
  type Replica,
  setUpOwner,
  type TestBrowser,
  tokenOf,
} from './fixture.ts'

let world: AdminWorld
let a: Replica
let b: Replica
let owner: TestBrowser
let ownerId: string
beforeAll(async () => {
  world = await adminWorld()
  ;[a, b] = await Promise.all([world.start(), world.start()])
  const { browser, session } = await setUpOwner(a)
  owner = browser
  ownerId = session.person.id
})
afterAll(() => world.stop())
beforeEach(() => world.db.deleteFrom('adminAttempts').execute())

let people = 0
/** Adds a person with a role, who is signed in at the second replica of admin-ui. */
async function add(role: string, mayReadMail = false) {
  people += 1
  const email = `person${people}@example.com`
  const { browser, session } = await join(owner, b, { email, role, mayReadMail })
  return { browser, email, id: session.person.id, session: session.session.id }
}
const update = (browser: TestBrowser, id: string, changes: object) =>
  browser.send('PUT', `/admin/people/${id}`, { body: changes })

test('list of people: has role, factors and inviter, and no hash', async () => {
  const { id, email } = await add('support', true)
  const { body } = await owner.get<PersonList>('/admin/people')
  expect(body.people.find((person) => person.id === id)).toEqual({
    id,
    email,
    name: 'New Person',
    role: 'support',
    mayReadMail: true,
    disabled: false,
    factors: { password: true, totp: false, passkeys: 0, recoveryCodes: 0, oidc: false },
    createdAt: expect.any(String),
    createdBy: ownerId,
    signedInAt: expect.any(String),
  })
  expect(JSON.stringify(body)).not.toContain('argon2')
})

test.each(['operator', 'support', 'auditor'])('%s: may not see or change people', async (role) => {
  const { browser, id, session } = await add(role)
  const calls = [
    browser.get('/admin/people'),
    update(browser, id, { role: 'owner' }),
    browser.send('DELETE', `/admin/people/${ownerId}`),
    browser.post(`/admin/people/${id}/reset-factors`),
    browser.get('/admin/people/invitations'),
    browser.post('/admin/people/invitations', { email: 'x@example.com', role: 'owner' }),
    browser.send('DELETE', '/admin/people/invitations/x'),
    browser.get('/admin/people/sessions'),
    browser.send('DELETE', `/admin/people/sessions/${session}`),
    browser.send('DELETE', `/admin/people/${ownerId}/sessions`),
  ]
  for (const { status, body } of await Promise.all(calls))
    expect([status, body]).toMatchObject([403, { requiredRole: 'owner' }])
  expect(await browser.status()).toBe(200)
})

test('without a session: the lists of people, invitations and sessions respond 401', async () => {
  for (const path of ['people', 'people/invitations', 'people/sessions', 'session/sessions'])
    expect((await a.browser().get(`/admin/${path}`)).status).toBe(401)
})

test('an old factor: blocks changes and no reads', async () => {
  const { id } = await add('support')
  await sql`update admin_sessions set factor_at = now() - interval '11 minutes'
    where hash = ${hashOf(owner.cookie ?? '')}`.execute(world.db)
  const refused = [
    await update(owner, id, { role: 'operator' }),
    await owner.send('DELETE', `/admin/people/${id}`),
    await owner.post('/admin/people/invitations', { email: 'x@example.com', role: 'owner' }),
    await owner.send('DELETE', `/admin/people/${id}/sessions`),
  ]
  for (const { status, body } of refused)
    expect([status, body]).toMatchObject([403, { code: 'StepUpRequired' }])
  expect((await owner.get('/admin/people')).status).toBe(200)
  expect((await owner.post('/admin/session/step-up', { password })).status).toBe(200)
})

describe('changes', () => {
  test('another role: ends the sessions of the person at the other replica', async () => {
    const { browser, id, email } = await add('operator')
    expect((await update(owner, id, { role: 'auditor' })).status).toBe(204)
    expect(await browser.status()).toBe(401)
    await browser.signIn(email)
    expect((await browser.get('/admin/session')).body).toMatchObject({
      person: { role: 'auditor' },
    })
  })

  test('disabling: ends the sessions and prevents sign-ins, until the person is enabled', async () => {
    const { browser, id, email } = await add('support')
    await update(owner, id, { disabled: true })
    expect([await browser.status(), (await browser.signIn(email)).status]).toEqual([401, 401])
    await update(owner, id, { disabled: false })
    expect((await browser.signIn(email)).status).toBe(200)
  })

  test('a removed right to read mail: ends the active right, not the session', async () => {
    const { browser, id } = await add('support', true)
    await browser.post('/admin/session/mail-reading', { reason: 'Ticket 1' })
    await update(owner, id, { mayReadMail: false, name: 'Renamed' })
    const { body } = await browser.get('/admin/session')
    expect(body).toMatchObject({ person: { mayReadMail: false, name: 'Renamed' }, mailReading: {} })
    const rows = world.db.selectFrom('adminSessions').select('mailUntil').where('person', '=', id)
    expect(await rows.execute()).toEqual([{ mailUntil: null }])
  })

  test.each([
    { role: 'admin' },
    { email: 'new@example.com' },
    { password: 'x' },
    { name: ' ' },
    { name: 'a\0' },
  ])('change %j: is rejected', async (changes) => {
    expect((await update(owner, ownerId, changes)).status).toBe(400)
  })

  test('an unknown person: 404', async () => {
    const replies = [
      await update(owner, 'unknown', { role: 'owner' }),
      await update(owner, '%00', { role: 'owner' }),
      await owner.send('DELETE', '/admin/people/unknown'),
      await owner.post('/admin/people/unknown/reset-factors'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })

  test('deletion: ends the sessions and frees the email address', async () => {
    const { browser, id, email } = await add('support')
    expect((await owner.send('DELETE', `/admin/people/${id}`)).status).toBe(204)
    expect([await browser.status(), (await browser.signIn(email)).status]).toEqual([401, 401])
    expect((await join(owner, a, { email, role: 'auditor' })).session.person.role).toBe('auditor')
  })

  test('the audit log: has the names of changed members and the person, no values', async () => {
    const { id } = await add('support')
    await update(owner, id, { name: 'Secret Name', role: 'auditor' })
    const rows = await world.db
      .selectFrom('adminAudit')
      .selectAll()
      .where('path', '=', `/admin/people/${id}`)
      .orderBy('phase')
      .execute()
    const common = { operation: 'updatePerson', person: ownerId, role: 'owner', method: 'PUT' }
    expect(rows).toMatchObject([
      { ...common, phase: 'attempt', keys: ['name', 'role'] },
      { ...common, phase: 'outcome', keys: ['name', 'role'], outcome: 'done' },
    ])
    expect(JSON.stringify(rows)).not.toContain('Secret Name')
  })
})

describe('the last owner', () => {
  test('can neither be demoted, disabled nor deleted', async () => {
    const replies = [
      await update(owner, ownerId, { role: 'operator' }),
      await update(owner, ownerId, { disabled: true }),
      await owner.send('DELETE', `/admin/people/${ownerId}`),
    ]
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400])
    expect(await owner.status()).toBe(200)
  })

  test('two owners who remove each other at both replicas: one stays', async () => {
    for (const method of ['demote', 'disable', 'delete']) {
      const second = await add('owner')
      const changes = { demote: { role: 'auditor' }, disable: { disabled: true } }[method]
      const remove = (browser: TestBrowser, id: string) =>
        changes ? update(browser, id, changes) : browser.send('DELETE', `/admin/people/${id}`)
      const replies = await Promise.all([remove(owner, second.id), remove(second.browser, ownerId)])
      // Two owners remove each other concurrently. One removal is refused, because an owner must
      // stay, or because the session of the removing owner has ended before.
      expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
      const left = await world.db
        .selectFrom('adminPeople')
        .select('id')
        .where('role', '=', 'owner')
        .where('disabled', '=', false)
        .execute()
      expect(left).toHaveLength(1)
      if (left[0]?.id === ownerId) continue
      ownerId = second.id
      owner = second.browser
    }
  })

  test('an owner who gives up the role: keeps the session with fewer rights', async () => {
    const second = await add('owner')
    expect((await update(second.browser, second.id, { role: 'auditor' })).status).toBe(204)
    expect((await second.browser.get('/admin/session')).body).toMatchObject({
      person: { role: 'auditor' },
    })
    expect((await second.browser.get('/admin/people')).status).toBe(403)
  })
})

describe('reset of factors', () => {
  test('deletes codes and passkeys, ends sessions; a link sets another password once', async () => {
    const { browser, id, email } = await add('support')
    await browser.post('/admin/session/recovery-codes')
    const passkey = { id: 'key', person: id, publicKey: Buffer.from('x'), counter: '0', name: 'K' }
    await world.db.insertInto('adminPasskeys').values(passkey).execute()
    await world.db
      .updateTable('adminPeople')
      .set({ totpConfirmed: true })
      .where('id', '=', id)
      .execute()
    const { body } = await owner.post<NewLink>(`/admin/people/${id}/reset-factors`)
    expect(await browser.status()).toBe(401)
    expect((await browser.signIn(email)).status).toBe(401)
    const token = tokenOf(body)
    const invitation = await a.browser().post('/admin/session/invitation/details', { token })
    expect(invitation.body).toMatchObject({ email, role: 'support', name: 'New Person' })
    const use = { token, name: 'New Person', password: 'a new password 123' }
    const used = a.browser()
    const { status, body: session } = await used.post<Session>('/admin/session/invitation', use)
    const only = { password: true, totp: false, passkeys: 0, recoveryCodes: 0, oidc: false }
    expect([status, session.factors]).toEqual([200, only])
    expect((await b.browser().post('/admin/session/invitation', use)).status).toBe(410)
    expect((await b.browser().signIn(email)).status).toBe(401)
    expect((await b.browser().signIn(email, 'a new password 123')).status).toBe(200)
  })
})

test('sessions of all people: are listed with the person and ended singly or by person', async () => {
  const { browser, id, email, session } = await add('support')
  const { body } = await owner.get<PeopleSessionList>('/admin/people/sessions')
  const person = { id, email, name: 'New Person' }
  expect(body.sessions.find((row) => row.id === session)).toMatchObject({ person, current: false })
  const ended = await owner.send('DELETE', `/admin/people/sessions/${session}`)
  expect([ended.body, await browser.status()]).toEqual([{ ended: 1 }, 401])
  await browser.signIn(email)
  const all = await owner.send('DELETE', `/admin/people/${id}/sessions`)
  expect([all.body, await browser.status()]).toEqual([{ ended: 1 }, 401])
})
