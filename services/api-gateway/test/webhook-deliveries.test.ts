import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { recordEvents } from '@posthorn/db'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()
const path = '/admin/api/webhookDeliveries'

async function insert(count: number, more: object = {}): Promise<string[]> {
  const eventId = randomUUID()
  const [event] = await db
    .transaction()
    .execute((tx) =>
      recordEvents(tx, [{ eventId, event: 'messageSent', account: 'a', data: { n: 1 } }], null),
    )
  const { date } = await db
    .selectFrom('events')
    .select('date')
    .where('id', '=', event?.id ?? '')
    .executeTakeFirstOrThrow()
  const rows = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    eventId: randomUUID(),
    eventRow: event?.id ?? '',
    eventDate: date,
    event: 'messageSent',
    account: 'a',
    target: 'default',
    lane: 'https://a.example/hook',
    state: 'failed' as const,
    attempts: 10,
    finishedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(n / 3))),
    lastOutcome: 'http-5xx',
    lastStatus: 503,
    lastResponse: 'out of order',
    ...more,
  }))
  await db.insertInto('deliveries').values(rows).execute()
  return rows.map(({ id }) => id)
}
const list = async (query: string) => {
  const { status, body } = await call('GET', `${path}?${query}`)
  expect(status).toBe(200)
  return body as unknown as { deliveries: { id: string }[]; nextCursor: string | null }
}

test('listWebhookDeliveries: pages the failed set, latest first, without gaps or duplicates', async () => {
  const ids = await insert(25, { account: 'paged' })
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await list(`account=paged&pageSize=7${cursor}`)
    seen.push(...page.deliveries.map(({ id }) => id))
    expect(page.deliveries.length).toBeLessThanOrEqual(7)
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  expect(seen).toHaveLength(25)
  expect(seen.toSorted()).toEqual(ids.toSorted())
  expect(ids.slice(24)).toContain(seen[0])
})

test('listWebhookDeliveries: filters by state and other fields', async () => {
  const [due] = await insert(1, { account: 'f', state: 'due', finishedAt: null })
  const [done] = await insert(1, { account: 'f', state: 'delivered', target: 'route-1' })
  const [failed] = await insert(1, { account: 'f', event: 'messageNew' })
  const ids = async (query: string) =>
    (await list(`account=f&${query}`)).deliveries.map(({ id }) => id)
  expect(await ids('')).toEqual([failed])
  expect(await ids('state=due')).toEqual([due])
  expect(await ids('state=delivered')).toEqual([done])
  expect(await ids('state=delivered&target=route-1')).toEqual([done])
  expect(await ids('state=delivered&target=default')).toEqual([])
  expect(await ids('event=messageNew&outcome=http-5xx')).toEqual([failed])
  expect(await ids('event=messageSent')).toEqual([])
  expect(await ids('since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z')).toEqual([failed])
  expect(await ids('since=2026-01-02T00:00:00Z')).toEqual([])
  for (const address of ['https://a.example/hook', 'HTTPS://u:p@A.example:443/x/../hook?q'])
    expect(await ids(`address=${encodeURIComponent(address)}`)).toEqual([failed])
})

test('getWebhookDelivery: contains payload, response, attempts and replays', async () => {
  const [id = ''] = await insert(1)
  const [repeat] = await insert(1, { replayOf: id, state: 'due', finishedAt: null })
  await db
    .insertInto('webhookAttempts')
    .values({ delivery: id, attempt: 1, durationMs: 12, outcome: 'reset', error: 'gone' })
    .execute()
  const { body } = await call('GET', `${path}/${id}`)
  const { payload: _payload, log: _log, replays: _replays, ...entry } = body
  expect((await list('pageSize=1000')).deliveries).toContainEqual(entry)
  expect(body).toMatchObject({
    id,
    account: 'a',
    address: 'https://a.example/hook',
    state: 'failed',
    attempts: 10,
    lastStatus: 503,
    lastResponse: 'out of order',
    nextAttemptAt: null,
    payload: { event: 'messageSent', account: 'a', data: { n: 1 } },
    log: [{ attempt: 1, durationMs: 12, outcome: 'reset', status: null, error: 'gone' }],
    replays: [repeat],
  })
  expect((await call('GET', `${path}/${randomUUID()}`)).status).toBe(404)
  expect((await call('GET', `${path}/nonsense`)).status).toBe(400)
})

test('createWebhookReplay: stores a replay that can be read', async () => {
  const [id = ''] = await insert(1)
  const one = await call('POST', `${path}/${id}/retry`)
  expect(one.body).toMatchObject({ state: 'queued', filter: { id }, total: null, replayed: 0 })
  const filter = { account: 'a', event: 'messageSent', until: '2026-01-02T00:00:00Z' }
  const bulk = await call('POST', '/admin/api/webhookReplays', { body: filter })
  expect(bulk.body).toMatchObject({ state: 'queued', filter })
  const replay = await call('GET', `/admin/api/webhookReplays/${String(bulk.body['id'])}`)
  expect(replay.body).toEqual(bulk.body)
  const { body } = await call('GET', '/admin/api/webhookReplays')
  expect(body['replays']).toEqual([bulk.body, one.body])
  expect((await call('GET', `/admin/api/webhookReplays/${randomUUID()}`)).status).toBe(404)
  const wrong = await call('POST', '/admin/api/webhookReplays', { body: { acount: 'a' } })
  expect(wrong.status).toBe(400)
  const spelled = { address: 'HTTPS://A.example' }
  const other = await call('POST', '/admin/api/webhookReplays', { body: spelled })
  expect(other.body).toMatchObject({ filter: { address: 'https://a.example/' } })
})

test('retryWebhookDelivery: only failed deliveries can be replayed, and only once', async () => {
  const [done] = await insert(1, { state: 'delivered' })
  const [repeated] = await insert(1, { replayedAt: new Date() })
  for (const id of [done, repeated])
    expect((await call('POST', `${path}/${id}/retry`)).status).toBe(400)
  expect((await call('POST', `${path}/${randomUUID()}/retry`)).status).toBe(404)
})

test('webhook deliveries: need a token with the scope *', async () => {
  const token = await mint(call, { scopes: ['api'] })
  for (const [method, where] of [
    ['GET', path],
    ['GET', `${path}/${randomUUID()}`],
    ['POST', `${path}/${randomUUID()}/retry`],
    ['POST', '/admin/api/webhookReplays'],
    ['GET', '/admin/api/webhookReplays'],
  ] as const) {
    const body = method === 'POST' ? { body: {} } : {}
    expect((await call(method, where, { token, ...body })).status).toBe(403)
    expect((await call(method, where, { token: null, ...body })).status).toBe(401)
  }
})
