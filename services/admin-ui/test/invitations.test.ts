import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { InvitationList, NewLink } from '@posthorn/contracts/admin/people'
import { sql } from 'kysely'
import { createOwnerLink } from '../src/identity/set-up-link.ts'
import {
  type AdminWorld,
  adminWorld,
  hashOf,
  join,
  password,
  type Replica,
  setUpOwner,
  setupToken,
  type TestBrowser,
  tokenOf,
} from './fixture.ts'

let world: AdminWorld
let a: Replica
let b: Replica
let owner: TestBrowser
beforeAll(async () => {
  world = await adminWorld()
  ;[a, b] = await Promise.all([world.start(), world.start()])
  owner = (await setUpOwner(a)).browser
})
afterAll(() => world.stop())
beforeEach(() => world.db.deleteFrom('adminAttempts').execute())

const invite = async (email: string, role = 'support') =>
  (await owner.post<NewLink>('/admin/people/invitations', { email, role })).body
const accept = (replica: Replica, token: string) =>
  replica.browser().post('/admin/session/invitation', { token, name: 'New', password })
const describeInvitation = (token: string) =>
  b.browser().post('/admin/session/invitation/details', { token })

test('an invitation: is described, then used once at one of two replicas', async () => {
  const created = await invite('New.Person@Example.com', 'operator')
  expect(created).toEqual({
    id: expect.any(String),
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/admin\/invitation#token=[\w-]{43}$/),
    expiresAt: expect.any(String),
  })
  const hours = (Date.parse(created.expiresAt) - Date.now()) / 3_600_000
  expect(Math.round(hours)).toBe(24)
  const token = tokenOf(created)
  const { expiresAt } = created
  const details = { email: 'new.person@example.com', role: 'operator', expiresAt }
  expect((await describeInvitation(token)).body).toEqual(details)
  const replies = await Promise.all([a, b, a, b].map((replica) => accept(replica, token)))
  expect(replies.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([
    200, 410, 410, 410,
  ])
  expect((await describeInvitation(token)).status).toBe(410)
  expect((await accept(b, token)).status).toBe(410)
})

test('forged tokens: the hash, the id, another kind of link are rejected', async () => {
  const created = await invite('forged@example.com')
  const token = tokenOf(created)
  for (const forged of [hashOf(token), created.id.padEnd(32, '0'), setupToken, 'x'.repeat(43)])
    expect((await accept(a, forged)).status).toBe(410)
  const person = { email: 'forged@example.com', name: 'F', password }
  const asSetUp = await a.browser().post('/admin/session/set-up', { token, ...person })
  expect(asSetUp.status).toBe(410)
  const asOwner = { token, name: 'F', password, role: 'owner' }
  expect((await a.browser().post('/admin/session/invitation', asOwner)).status).toBe(400)
  expect((await accept(a, token)).body).toMatchObject({ person: { role: 'support' } })
})

test('an expired invitation: 410', async () => {
  const token = tokenOf(await invite('late@example.com'))
  await sql`update admin_links set expires_at = now() where hash = ${hashOf(token)}`.execute(
    world.db,
  )
  expect([(await describeInvitation(token)).status, (await accept(a, token)).status]).toEqual([
    410, 410,
  ])
})

test('a revoked invitation: 410, and the list has the others without tokens', async () => {
  const [revoked, other] = [await invite('revoked@example.com'), await invite('stays@example.com')]
  const path = `/admin/people/invitations/${revoked.id}`
  expect((await owner.send('DELETE', path)).status).toBe(204)
  expect((await owner.send('DELETE', path)).status).toBe(404)
  expect((await accept(b, tokenOf(revoked))).status).toBe(410)
  const { body } = await owner.get<InvitationList>('/admin/people/invitations')
  expect(body.invitations).toMatchObject([{ id: other.id, email: 'stays@example.com' }])
  expect(JSON.stringify(body)).not.toContain(tokenOf(other))
})

test('a second invitation for an email address: revokes the first', async () => {
  const [first, second] = [await invite('twice@example.com'), await invite('twice@example.com')]
  expect((await accept(a, tokenOf(first))).status).toBe(410)
  expect((await accept(a, tokenOf(second))).status).toBe(200)
  const again = await owner.post('/admin/people/invitations', {
    email: 'Twice@example.com',
    role: 'owner',
  })
  expect([again.status, again.body]).toMatchObject([400, { fields: [{ path: 'email' }] }])
})

test('an owner who loses the role: the invitations of this person become invalid', async () => {
  const second = await join(owner, b, { email: 'second@example.com', role: 'owner' })
  const request = { email: 'backdoor@example.com', role: 'owner' }
  const created = await second.browser.post<NewLink>('/admin/people/invitations', request)
  const path = `/admin/people/${second.session.person.id}`
  await owner.send('PUT', path, { body: { role: 'auditor' } })
  expect((await accept(a, tokenOf(created.body))).status).toBe(410)
})

test('link of the job admin-owner: restores the access of an owner once', async () => {
  const { browser, session } = await join(owner, b, { email: 'lost@example.com', role: 'support' })
  const { id } = session.person
  const changes = { disabled: true, totpConfirmed: true }
  await world.db.updateTable('adminPeople').set(changes).where('id', '=', id).execute()
  const { link } = await createOwnerLink(world.db, {
    email: 'Lost@example.com',
    origin: 'https://admin.example',
  })
  expect(link).toMatch(/^https:\/\/admin\.example\/admin\/set-up#token=[\w-]{43}$/)
  const use = { token: tokenOf({ link }), name: 'Found', password: 'a new password 123' }
  const setUp = (email: string) => a.browser().post('/admin/session/set-up', { ...use, email })
  expect((await accept(a, use.token)).status).toBe(410)
  expect((await setUp('other@example.com')).status).toBe(400)
  expect((await setUp('lost@example.com')).body).toMatchObject({
    person: { id, role: 'owner', name: 'Found' },
    factors: { password: true, totp: false },
  })
  expect(await browser.status()).toBe(401)
  expect((await setUp('lost@example.com')).status).toBe(410)
})

test('link of the job admin-owner for a new email address: creates an owner', async () => {
  const email = 'rescue@example.com'
  const options = { email, origin: 'https://admin.example' }
  const [first, second] = [
    await createOwnerLink(world.db, options),
    await createOwnerLink(world.db, options),
  ]
  const setUp = ({ link }: { link: string }) =>
    a
      .browser()
      .post('/admin/session/set-up', { token: tokenOf({ link }), email, name: 'R', password })
  expect((await setUp(first)).status).toBe(410)
  expect((await setUp(second)).body).toMatchObject({ person: { email, role: 'owner' } })
})
