import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { recordEvents } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { minutesAgo, signIn, type SignInOptions } from './admin-people.ts'
import { follow } from './event-stream.ts'
import { admin, testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
const { call, url } = await servers.start()
const open = await servers.start({ SVC_REQUIRE_API_AUTH: 'false' })

const accounts = (token: string) => call('GET', '/v1/accounts', { token })
const badToken = { status: 401, body: { message: 'Bad token' } }

test('a session: has the rights of an operator token, within its role', async () => {
  const { credential: token } = await signIn(db)
  expect(await accounts(token)).toMatchObject({ status: 200, body: { accounts: [] } })
  expect(await call('GET', '/v1/settings', { token })).toMatchObject({
    status: 200,
    body: { serviceSecret: true },
  })
  expect(await call('GET', '/admin/api/exports', { token })).toMatchObject({ status: 200 })
})

test.each<[string, SignInOptions]>([
  ['idle for an hour', { session: { seenAt: minutesAgo(60.1) } }],
  ['expired', { session: { expiresAt: minutesAgo(0.01) } }],
  ['of a disabled person', { disabled: true }],
])('a session %s: 401', async (_case, options) => {
  const { credential } = await signIn(db, options)
  expect(await accounts(credential)).toMatchObject(badToken)
})

test('unknown credentials: 401, also without SVC_REQUIRE_API_AUTH', async () => {
  const { credential } = await signIn(db)
  const session = await db.selectFrom('adminSessions').selectAll().executeTakeFirstOrThrow()
  const values = [
    `${credential.slice(0, -1)}_`,
    'sess_',
    credential.slice('sess_'.length),
    session.credentialHash,
    `sess_${session.credentialHash}`,
    `sess_${session.hash}`,
    `sess_${session.id}`,
  ]
  for (const token of values) {
    expect(await accounts(token)).toMatchObject(badToken)
    expect(await open.call('GET', '/v1/accounts', { token })).toMatchObject(badToken)
  }
})

test('a credential in the query: 401, also without SVC_REQUIRE_API_AUTH', async () => {
  const { credential } = await signIn(db)
  for (const gateway of [call, open.call]) {
    const path = `/v1/accounts?access_token=${credential}`
    expect(await gateway('GET', path, { token: null })).toMatchObject(badToken)
  }
})

test.each([
  ['with', true],
  ['without', false],
])('an ended session, %s its broadcast: 401 and no more changes', async (_case, isBroadcast) => {
  const [ended, other] = [await signIn(db), await signIn(db)]
  const token = ended.credential
  const streams = [await follow(url, { token }), await follow(url, { token: other.credential })]
  expect(await accounts(token)).toMatchObject({ status: 200 })
  await db.deleteFrom('adminSessions').where('id', '=', ended.session).execute()
  if (isBroadcast) await bus.invalidate({ topic: 'adminSessions', id: ended.session })
  await streams[0]?.ended
  await eventually(async () => expect(await accounts(token)).toMatchObject(badToken))
  expect(await accounts(other.credential)).toMatchObject({ status: 200 })
  await streams[1]?.stop()
})

test('a person is disabled or gets another role: applies to cached sessions', async () => {
  const { person, credential: token } = await signIn(db)
  const change = async (members: object) => {
    await db.updateTable('adminPeople').set(members).where('id', '=', person).execute()
    await bus.invalidate({ topic: 'adminSessions' })
  }
  const flush = { method: 'DELETE', path: '/v1/templates/account/absent' } as const
  expect((await call(flush.method, flush.path, { token })).status).toBe(400)
  await change({ role: 'auditor' })
  await eventually(async () =>
    expect(await call(flush.method, flush.path, { token })).toMatchObject({
      status: 403,
      body: {
        message: 'The request needs the role operator',
        requiredRole: 'operator',
      },
    }),
  )
  await change({ disabled: true })
  await eventually(async () => expect(await accounts(token)).toMatchObject(badToken))
})

test.each<[string, SignInOptions]>([
  ['that was never activated', {}],
  ['that has ended', { session: { mailUntil: minutesAgo(0.01) } }],
  ['that the person does not have', { readsMail: true, mayReadMail: false }],
])('a right to read mail %s: 403', async (_case, options) => {
  const { credential: token } = await signIn(db, options)
  expect(await call('GET', '/v1/account/absent/message/AAAA', { token })).toMatchObject({
    status: 403,
    body: { code: 'MailReadingRequired' },
  })
})

const stale = { session: { factorAt: minutesAgo(11) } }
const role = (name: string) => ({ requiredRole: name })
const code = (name: string) => ({ code: name })
const settings = ['POST', '/v1/settings'] as const
const tokens = ['POST', '/v1/tokens'] as const
const imports = ['POST', '/admin/api/tokenImports'] as const
const imported = (scopes: string[]) => ({
  tokens: [{ id: 'f'.repeat(64), scopes, description: 'x', created: '2026-01-01T00:00:00Z' }],
})

interface RefusedRequest {
  by: SignInOptions
  to: readonly [string, string]
  body: object
  expected: object
}

test.each<[string, RefusedRequest]>([
  [
    'settings of mail proxies, by an operator',
    {
      by: { role: 'operator' },
      to: settings,
      body: { smtpServerPort: 1 },
      expected: role('owner'),
    },
  ],
  [
    'settings of mail proxies, with an old factor',
    { by: stale, to: settings, body: { smtpServerPort: 1 }, expected: code('StepUpRequired') },
  ],
  [
    'the signing secret, by an operator',
    {
      by: { role: 'operator' },
      to: settings,
      body: { serviceSecret: null },
      expected: role('owner'),
    },
  ],
  [
    'a token that reads mail, without the right',
    { by: {}, to: tokens, body: { account: 'a' }, expected: code('MailReadingRequired') },
  ],
  [
    'an unrestricted token, with an old factor',
    { by: { ...stale, readsMail: true }, to: tokens, body: {}, expected: code('StepUpRequired') },
  ],
  [
    'an unrestricted token, by an operator',
    {
      by: { role: 'operator', readsMail: true },
      to: tokens,
      body: {},
      expected: role('owner'),
    },
  ],
  [
    'the import of an operator token, by an operator',
    {
      by: { role: 'operator', readsMail: true },
      to: imports,
      body: imported(['*']),
      expected: role('owner'),
    },
  ],
  [
    'the import of tokens that read mail, without the right',
    { by: {}, to: imports, body: imported(['api']), expected: code('MailReadingRequired') },
  ],
])('%s: 403', async (_case, { by, to: [method, path], body, expected }) => {
  const { credential: token } = await signIn(db, by)
  expect(await call(method, path, { token, body })).toMatchObject({ status: 403, body: expected })
})

test('support with the right to read mail: does not mark messages as read', async () => {
  const { credential: token } = await signIn(db, { role: 'support', readsMail: true })
  const path = '/v1/account/absent/message/AAAA'
  expect(await call('GET', path, { token })).toMatchObject({ status: 404 })
  expect(await call('GET', `${path}?markAsSeen=true`, { token })).toMatchObject({
    status: 403,
    body: role('operator'),
  })
})

test('operators change other settings and create tokens that read no mail', async () => {
  const { credential: token } = await signIn(db, { role: 'operator', ...stale })
  expect(await call(...settings, { token, body: { notifyText: true } })).toMatchObject({
    status: 200,
  })
  const permissions = { actions: ['read'], groups: ['account'] }
  expect(await call(...tokens, { token, body: { permissions } })).toMatchObject({ status: 200 })
  const body = { scopes: ['smtp'], permissions: { actions: ['send'] } }
  expect(await call(...tokens, { token, body })).toMatchObject({ status: 200 })
})

test('listWebhookRouteErrors: without the right to read mail, has no texts of errors', async () => {
  const route = { name: 'r', targetUrl: 'https://a.example/hook' }
  const created = await call('POST', '/admin/api/webhookRoutes', { token: admin, body: route })
  const { id } = created.body as { id: string }
  const eventId = randomUUID()
  const error = { function: 'filter' as const, event: 'messageNew', account: 'a', eventId }
  await db
    .insertInto('webhookRouteErrors')
    .values({ ...error, route: id, reason: 'Error: text of a message' })
    .execute()
  const read = async (token: string) =>
    JSON.stringify((await call('GET', `/admin/api/webhookRoutes/${id}/errors`, { token })).body)
  const hidden = await read((await signIn(db, { role: 'operator' })).credential)
  expect(hidden).toMatch(/"message":"Hidden: /)
  expect(hidden).not.toContain('text of a message')
  const reader = await signIn(db, { role: 'operator', readsMail: true })
  for (const token of [reader.credential, admin])
    expect(await read(token)).toContain('text of a message')
})

test('getWebhookDelivery: without the right to read mail, has no payload', async () => {
  const eventId = randomUUID()
  const [event] = await db
    .transaction()
    .execute((tx) =>
      recordEvents(tx, [{ eventId, event: 'messageNew', account: 'a', data: { n: 1 } }], null),
    )
  const { date } = await db
    .selectFrom('events')
    .select('date')
    .where('id', '=', event?.id ?? '')
    .executeTakeFirstOrThrow()
  const id = randomUUID()
  const delivery = { id, eventId, eventRow: event?.id ?? '', eventDate: date, event: 'messageNew' }
  const target = { account: 'a', target: 'default', lane: 'https://a.example/hook' }
  const outcome = { state: 'failed' as const, attempts: 1, finishedAt: new Date() }
  await db
    .insertInto('deliveries')
    .values({ ...delivery, ...target, ...outcome })
    .execute()
  const read = async (token: string) =>
    (await call('GET', `/admin/api/webhookDeliveries/${id}`, { token })).body
  const hidden = await read((await signIn(db, { role: 'support' })).credential)
  expect(hidden).toMatchObject({ id, payload: null, payloadHidden: true, log: [] })
  const reader = await signIn(db, { role: 'support', readsMail: true })
  for (const token of [reader.credential, admin]) {
    const shown = await read(token)
    expect(shown).toMatchObject({ id, payload: { event: 'messageNew', data: { n: 1 } } })
    expect(shown).not.toHaveProperty('payloadHidden')
  }
})

test('credentials are no access tokens: not listed, not deleted, not in the token log', async () => {
  await call('POST', '/v1/settings', { body: { tokenAuditLog: true } })
  const { person, credential: token } = await signIn(db)
  const deleted = await call('DELETE', `/v1/tokens/${token}`)
  expect(deleted).toMatchObject({ status: 200, body: { deleted: false } })
  expect(await accounts(token)).toMatchObject({ status: 200 })
  expect((await call('GET', `/v1/tokens/${token}`)).status).toBe(404)
  // The token log is written every second, in the order of the API requests.
  await eventually(async () => {
    const { rows } = await logged()
    expect(rows).toContainEqual(expect.stringContaining('GET /v1/tokens/{token}'))
    expect(rows.join()).not.toContain(person)
    expect(rows.join()).not.toContain('sess_')
    expect(rows.join()).not.toContain('GET /v1/accounts')
  })
})

async function logged() {
  const entries = await db.selectFrom('tokenLog').selectAll().execute()
  return { rows: entries.map(({ token, method, path }) => `${token} ${method} ${path}`) }
}
