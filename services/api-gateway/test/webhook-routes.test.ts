import { afterAll, beforeEach, expect, test } from '@jest/globals'
import type { Invalidation } from '@posthorn/contracts/hints'
import { createUnsealer, keyPairFromSecret, unsealHeader, unsealLogin } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { deleteExpiredRoutes } from '../src/store/webhooks/webhook-routes.ts'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const { call } = await servers.start()
const unsealer = createUnsealer([keyPairFromSecret(servers.env.SVC_SECRET).privateKey])
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
beforeEach(async () => {
  await db.deleteFrom('webhookRoutes').execute()
})

const route = {
  name: 'Chat',
  description: 'Tells the team',
  targetUrl: 'https://user:secret@chat.example/hook?room=1',
  customHeaders: [{ key: 'X-Key', value: 'hush' }],
  content: { fn: 'return payload.event === "messageNew"', map: 'return { text: "hi" }' },
}
const admin = '/admin/api/webhookRoutes'
async function create(body: object = route): Promise<string> {
  const answer = await call('POST', admin, { body })
  expect([answer.status, answer.body]).toEqual([200, { id: expect.any(String), created: true }])
  return String(answer.body['id'])
}
const get = (id: string) => call('GET', `/v1/webhookRoutes/webhookRoute/${id}`)
const stored = (id: string) =>
  db.selectFrom('webhookRoutes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const stamp = async () =>
  (await db.selectFrom('webhookRoutesStamp').select('stamp').executeTakeFirstOrThrow()).stamp

test('webhook routes: create, read, update, delete', async () => {
  const id = await create()
  expect(id).toMatch(/^[\w-]{16}$/)
  const read = {
    id,
    name: 'Chat',
    description: 'Tells the team',
    created: expect.any(String),
    updated: expect.any(String),
    enabled: true,
    expiresAt: null,
    targetUrl: 'https://user:******@chat.example/hook?room=1',
    tcount: 0,
    webhookErrorFlag: null,
    customHeaders: [{ key: 'X-Key', value: '******' }],
  }
  expect((await get(id)).body).toEqual({ ...read, v: 1, content: route.content })
  expect((await call('GET', '/v1/webhookRoutes')).body).toEqual({
    total: 1,
    page: 0,
    pages: 1,
    webhooks: [read],
  })

  const { targetUrl: before, customHeaders: headers } = await stored(id)
  expect(before).not.toContain('secret')
  const body = { ...route, name: 'Other', targetUrl: read.targetUrl, content: { map: null } }
  const masked = { ...body, customHeaders: read.customHeaders, enabled: false }
  const changed = await call('PUT', `${admin}/${id}`, { body: masked })
  expect([changed.status, changed.body]).toEqual([200, { id, updated: true }])
  expect((await get(id)).body).toMatchObject({
    name: 'Other',
    enabled: false,
    v: 2,
    content: { fn: route.content.fn, map: null },
  })
  const { targetUrl, customHeaders } = await stored(id)
  expect(targetUrl).toBe(before)
  expect(await unsealLogin(targetUrl, unsealer)).toBe(route.targetUrl)
  expect(customHeaders).toEqual(headers)
  const [{ key, value } = { key: '', value: '' }] = headers
  expect(value).toMatch(/^sealed~/)
  expect(await unsealHeader({ owner: `route/${id}`, key, value }, unsealer)).toBe('hush')

  const gone = await call('DELETE', `${admin}/${id}`)
  expect([gone.status, gone.body]).toEqual([200, { id, deleted: true }])
  for (const [method, path] of [
    ['GET', `/v1/webhookRoutes/webhookRoute/${id}`],
    ['GET', `${admin}/${id}/errors`],
    ['PUT', `${admin}/${id}`],
    ['DELETE', `${admin}/${id}`],
  ] as const) {
    const answer = await call(method, path, method === 'PUT' ? { body: { name: 'x' } } : {})
    expect([answer.status, answer.body['code']]).toEqual([404, 'NotFound'])
  }
})

test('webhook routes: a route is deleted at its time, and stays if the time was extended', async () => {
  const soon = new Date(Date.now() + 1_000).toISOString()
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const [expiring, extended, lasting] = [
    await create({ ...route, expiresAt: soon }),
    await create({ ...route, expiresAt: soon }),
    await create(),
  ]
  expect((await get(expiring)).body).toMatchObject({ expiresAt: soon })
  await call('PUT', `${admin}/${extended}`, { body: { expiresAt: later } })
  await eventually(async () => expect(await get(expiring)).toMatchObject({ status: 404 }), {
    timeoutMs: 30_000,
  })
  expect((await get(extended)).body).toMatchObject({ expiresAt: later })
  expect(await get(lasting)).toMatchObject({ status: 200 })
  await call('PUT', `${admin}/${extended}`, { body: { expiresAt: null } })
  expect((await get(extended)).body).toMatchObject({ expiresAt: null })
})

test('webhook routes: expiresAt without a zone is UTC, a past time is rejected', async () => {
  const id = await create({ ...route, expiresAt: '2999-01-02T03:04:05' })
  expect((await get(id)).body).toMatchObject({ expiresAt: '2999-01-02T03:04:05.000Z' })
  const expiresAt = new Date(Date.now() - 1_000).toISOString()
  for (const refused of [
    await call('POST', admin, { body: { ...route, expiresAt } }),
    await call('PUT', `${admin}/${id}`, { body: { expiresAt } }),
  ])
    expect([refused.status, refused.body.fields]).toEqual([
      400,
      [{ message: '"expiresAt" must be in the future', key: 'expiresAt', path: 'expiresAt' }],
    ])
  expect((await get(id)).body).toMatchObject({ expiresAt: '2999-01-02T03:04:05.000Z' })
})

test('deleteExpiredRoutes: without an expired route, leaves the version of the routes', async () => {
  await create()
  const before = await stamp()
  expect(await deleteExpiredRoutes(db)).toEqual([])
  expect(await stamp()).toBe(before)
})

test('getWebhookRoute: contains counts and errors written by webhook-dispatcher', async () => {
  const id = await create()
  const counts = [0, 3, 15].map((slot) => ({ route: id, slot, count: '14' }))
  await db.insertInto('webhookRouteCounts').values(counts).execute()
  await db.insertInto('webhookRouteStates').values({ route: id, errorFlag: 'HTTP 500' }).execute()
  const eventId = crypto.randomUUID()
  const failure = { route: id, function: 'filter', event: 'messageNew', account: 'a', eventId }
  for (let n = 1; n <= 21; n++)
    await db
      .insertInto('webhookRouteErrors')
      .values({ ...failure, function: 'filter', reason: `no ${n}` })
      .execute()
  expect((await get(id)).body).toMatchObject({ tcount: 42, webhookErrorFlag: 'HTTP 500' })
  const { body } = await call('GET', `${admin}/${id}/errors`)
  const errors = body['errors'] as Record<string, unknown>[]
  expect(errors).toHaveLength(20)
  expect(errors[0]).toEqual({
    created: expect.any(String),
    function: 'filter',
    message: 'no 21',
    event: 'messageNew',
    account: 'a',
    eventId,
  })
})

test('listWebhookRoutes: returns pages, oldest first', async () => {
  const names = ['A', 'B', 'C']
  for (const name of names) await create({ ...route, name })
  const { body } = await call('GET', '/v1/webhookRoutes?page=1&pageSize=2')
  expect(body).toMatchObject({ total: 3, page: 1, pages: 2, webhooks: [{ name: 'C' }] })
})

test.each<[string, object, string]>([
  ['no address', { targetUrl: undefined }, 'targetUrl'],
  ['no name', { name: '' }, 'name'],
  ['an address of another kind', { targetUrl: 'ftp://a.example/' }, 'targetUrl'],
  ['a script for an address', { targetUrl: 'javascript:alert(1)' }, 'targetUrl'],
  [
    'a masked password without a stored one',
    { targetUrl: 'https://u:******@a.example/' },
    'targetUrl',
  ],
  [
    'a masked header without a stored one',
    { customHeaders: [{ key: 'A', value: '******' }] },
    'customHeaders',
  ],
  [
    'a header of two lines',
    { customHeaders: [{ key: 'A', value: 'a\r\nB: c' }] },
    'customHeaders.0.value',
  ],
  ['a filter that cannot be read', { content: { fn: 'return (' } }, 'content.fn'],
  ['a map that waits', { content: { map: 'return await 1' } }, 'content.map'],
  ['a map that is more than a body', { content: { map: '}); (function () {' } }, 'content.map'],
  ['a filter that is too long', { content: { fn: `//${'x'.repeat(262_144)}` } }, 'content.fn'],
  ['an unknown member', { tcount: 5 }, 'tcount'],
])('createWebhookRoute: with %s, responds 400 and stores nothing', async (_name, change, path) => {
  const answer = await call('POST', admin, { body: { ...route, ...change } })
  expect(answer.status).toBe(400)
  expect(answer.body.fields?.map((field) => field.path)).toContain(path)
  const { total } = (await call('GET', '/v1/webhookRoutes')).body
  expect(total).toBe(0)
})

test('createWebhookRoute: a blank function is stored as none', async () => {
  const id = await create({ ...route, content: { fn: ' \n', map: '' } })
  expect((await get(id)).body).toMatchObject({ content: { fn: null, map: null } })
})

test('webhook routes: every change raises the version and broadcasts an invalidation', async () => {
  const invalidations: Invalidation[] = []
  await using _listening = await bus.onInvalidate((message) => void invalidations.push(message))
  const stamps = [await stamp()]
  const id = await create()
  stamps.push(await stamp())
  await call('PUT', `${admin}/${id}`, { body: { enabled: false } })
  stamps.push(await stamp())
  await call('DELETE', `${admin}/${id}`)
  stamps.push(await stamp())
  const numbers = stamps.map(Number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  await eventually(() => {
    const ours = invalidations.filter((message) => message.topic === 'routes' && message.id === id)
    expect(ours).toHaveLength(3)
  })
})

test('testWebhookRoute: applies the functions to a payload', async () => {
  const payload = { event: 'messageNew', account: 'a', data: { subject: 'Hi' } }
  const attempt = async (content: object) => {
    const { status, body } = await call('POST', `${admin}/test`, { body: { content, payload } })
    return { status, ...body, usedMs: typeof body['usedMs'] }
  }
  const common = { status: 200, errors: [], logs: [], usedMs: 'number' }
  expect(await attempt({})).toEqual({ ...common, applies: true, payload })
  expect(await attempt({ fn: 'return false' })).toEqual({ ...common, applies: false })
  const map =
    'logger.info(typeof payload.eventId, payload._route); payload.data = 1; return payload'
  expect(await attempt({ fn: 'return true', map })).toEqual({
    ...common,
    applies: true,
    payload: { ...payload, data: 1 },
    logs: ['info ["string",{"id":"test"}]'],
  })
  expect(await attempt({ fn: 'while (true);' })).toEqual({
    ...common,
    applies: false,
    errors: [{ function: 'filter', message: 'takes too much time' }],
  })
  expect(await attempt({ map: 'throw new Error("no")' })).toMatchObject({
    applies: true,
    payload,
    errors: [{ function: 'map', message: 'Error: no' }],
  })
  expect(await attempt({ fn: 'return (' })).toMatchObject({ status: 400 })
  await call('POST', '/v1/settings', { body: { scriptEnv: '{"room":"blue"}' } })
  expect(await attempt({ map: 'return { room: env.room }' })).toEqual({
    ...common,
    applies: true,
    payload: { room: 'blue' },
  })
  expect((await call('GET', '/v1/webhookRoutes')).body).toMatchObject({ total: 0 })
})

test('webhook routes: changes need the scope *, reading the permission', async () => {
  const id = await create()
  const api = await mint(call, { scopes: ['api'] })
  const restricted = await mint(call, { scopes: ['api'], permissions: { groups: ['webhook'] } })
  const other = await mint(call, { scopes: ['api'], permissions: { groups: ['message'] } })
  const bound = await mint(call, { scopes: ['api'], account: 'missing' }).catch(() => undefined)
  const changes = [
    ['POST', admin, route],
    ['POST', `${admin}/test`, { content: {}, payload: {} }],
    ['PUT', `${admin}/${id}`, { name: 'x' }],
    ['DELETE', `${admin}/${id}`, undefined],
    ['GET', `${admin}/${id}/errors`, undefined],
  ] as const
  for (const [method, path, body] of changes)
    for (const token of [api, restricted]) {
      const answer = await call(method, path, { token, ...(body ? { body } : {}) })
      expect([answer.status, answer.body['requestedScope']]).toEqual([403, '*'])
    }
  const reading = async (token: string) =>
    (await call('GET', '/v1/webhookRoutes', { token })).status
  expect(await reading(api)).toBe(200)
  expect(await reading(restricted)).toBe(200)
  expect(await reading(other)).toBe(403)
  if (bound !== undefined) expect(await reading(bound)).toBe(403)
})

test('webhook routes: changes need a token without SVC_REQUIRE_API_AUTH, too', async () => {
  const open = await servers.start({ SVC_REQUIRE_API_AUTH: 'false' })
  expect((await open.call('GET', '/v1/webhookRoutes', { token: null })).status).toBe(200)
  const answer = await open.call('POST', admin, { token: null, body: route })
  expect(answer.status).toBe(401)
  expect((await open.call('GET', '/v1/webhookRoutes')).body).toMatchObject({ total: 0 })
})
