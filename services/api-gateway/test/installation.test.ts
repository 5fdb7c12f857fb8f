import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { shardCount, shardOf } from '@posthorn/contracts/shards'
import { sql } from 'kysely'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()

interface ListedWorker {
  id: string
  shards: number[]
}

const findings = async () => {
  const { status, body } = await call('GET', '/admin/api/findings')
  expect(status).toBe(200)
  return body['findings'] as { id: string; level: string; count?: number; since?: string }[]
}
const workers = async () => {
  const { body } = await call('GET', '/admin/api/workers')
  return body as unknown as {
    workers: ListedWorker[]
    unheld: { shards: number[]; accounts: number }
  }
}
const find = async (id: string) => (await findings()).find((finding) => finding.id === id)
/** Time one hour ahead, so that a worker counts as alive for the whole test. */
const ahead = () => new Date(Date.now() + 3_600_000)

const [alive, dead] = [crypto.randomUUID(), crypto.randomUUID()]

beforeEach(async () => {
  await sql`update shards set owner = null`.execute(db)
  await sql`delete from workers`.execute(db)
  await sql`delete from accounts`.execute(db)
})

const add = async (account: string, state?: string) => {
  const shard = shardOf(account)
  await db.insertInto('accounts').values({ account, shard, name: account }).execute()
  if (state !== undefined)
    await sql`insert into account_states (account, state) values (${account}, ${state})`.execute(db)
  return shard
}
const addWorker = async (id: string, heartbeatAt: Date) => {
  await db.insertInto('workers').values({ id, heartbeatAt }).execute()
}
const hold = (owner: string, shards: readonly number[]) =>
  db
    .updateTable('shards')
    .set({ owner, epoch: sql<string>`epoch + 1` })
    .where('shard', 'in', shards)
    .execute()

test('operations on the installation: 403 for a token with the scope api', async () => {
  const token = await mint(call, { scopes: ['api'], description: 'x' })
  const paths = ['findings', 'workers', 'stats/series?keys=a']
  for (const path of paths)
    expect((await call('GET', `/admin/api/${path}`, { token })).status).toBe(403)
  const release = `/admin/api/workers/${alive}/release`
  expect((await call('POST', release, { token })).status).toBe(403)
})

test('listWorkers: lists shards and accounts of workers, and those without a live worker', async () => {
  const [a, b, c] = [await add('a'), await add('b'), await add('c')]
  await addWorker(alive, ahead())
  await addWorker(dead, new Date(Date.now() - 60_000))
  await hold(alive, [a])
  await hold(dead, [b])
  const { workers: listed, unheld } = await workers()
  expect(listed.toSorted((x) => (x.id === alive ? -1 : 1))).toEqual([
    {
      id: alive,
      alive: true,
      heartbeatAt: expect.any(String),
      releasing: false,
      refusing: false,
      shards: [a],
      accounts: 1,
    },
    expect.objectContaining({ id: dead, alive: false, shards: [b], accounts: 1 }),
  ])
  expect(unheld.shards).toHaveLength(shardCount - 1)
  expect(unheld.shards).toEqual(expect.arrayContaining([b, c]))
  expect(unheld.accounts).toBe(2)
})

test('releaseWorker: marks the worker, 404 for an unknown worker', async () => {
  await addWorker(alive, ahead())
  const release = (id: string) => call('POST', `/admin/api/workers/${id}/release`)
  expect(await release(alive)).toMatchObject({ status: 200, body: { releasing: true } })
  expect((await workers()).workers).toMatchObject([{ id: alive, releasing: true }])
  expect(await release(dead)).toMatchObject({ status: 404, body: { code: 'NotFound' } })
  expect((await release('x')).status).toBe(400)
})

test('listFindings: reports missing workers, then shards without a worker', async () => {
  const shard = await add('a')
  expect(await find('noLiveWorker')).toMatchObject({ level: 'error', count: 1 })
  await addWorker(alive, ahead())
  expect(await find('unheldShards')).toMatchObject({ level: 'error', count: 1 })
  await hold(alive, [shard])
  expect(await find('unheldShards')).toMatchObject({ level: 'warning', count: 0 })
  const all = Array.from({ length: shardCount }, (_, each) => each)
  await hold(alive, all)
  expect(await find('unheldShards')).toBeUndefined()
})

test('listFindings: reports settings, the most urgent findings first', async () => {
  const post = (body: object) => call('POST', '/v1/settings', { body })
  await post({ serviceUrl: null, webhooksEnabled: true, webhooks: null })
  expect(await find('serviceUrlUnset')).toMatchObject({ level: 'warning' })
  expect(await find('webhooksWithoutTarget')).toBeDefined()
  await post({ serviceUrl: 'https://mail.example.com', webhooks: 'https://hooks.example.com/' })
  expect(await find('webhooksWithoutEvents')).toBeDefined()
  await post({ webhookEvents: ['*'] })
  const ids = (await findings()).map(({ id }) => id)
  expect(ids).toEqual(['noLiveWorker'])
  await using open = await servers.start({ SVC_REQUIRE_API_AUTH: 'false' })
  const { body } = await open.call('GET', '/admin/api/findings')
  expect((body['findings'] as { id: string }[]).map(({ id }) => id)).toEqual([
    'noLiveWorker',
    'tokensNotRequired',
  ])
})

test('listFindings: reports webhook targets with failures of the last hour', async () => {
  await sql`
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, state, finished_at, replayed_at, last_outcome)
    select gen_random_uuid(), gen_random_uuid(), 1, now(), 'x', 'a', 'default', lane, 'failed',
      now() - make_interval(mins => mins), case when replayed then now() end, 'http-5xx'
    from (values ('http://a/', 5, false), ('http://a/', 10, false), ('http://a/', 70, false),
      ('http://b/', 5, true), ('http://c/', 90, false)) d (lane, mins, replayed)
  `.execute(db)
  const failing = (await findings()).filter(({ id }) => id.startsWith('webhookTargetFailing'))
  expect(failing).toMatchObject([{ id: 'webhookTargetFailing:http://a/', count: 2 }])
  expect(Date.now() - Date.parse(failing[0]?.since ?? '')).toBeGreaterThan(590_000)
  await db.deleteFrom('deliveries').execute()
})

test('listFindings: reports paused webhook targets, whose deliveries are not late', async () => {
  const pause = (...targets: string[]) =>
    call('POST', '/v1/settings', {
      body: { webhookTargets: targets.map((target) => ({ target, paused: true })) },
    })
  await sql`
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, next_attempt_at)
    select gen_random_uuid(), gen_random_uuid(), 1, now(), 'x', 'a', 'default', lane,
      now() - make_interval(mins => mins)
    from (values ('http://a/', 61), ('http://a/', 6), ('http://b/', 59), ('http://c/', -5)) d (lane, mins)
  `.execute(db)
  expect(await find('queueLate:notify')).toMatchObject({ count: 3 })
  await pause('http://a/', 'http://b')
  expect(await find('queueLate:notify')).toBeUndefined()
  expect(await find('webhookTargetPaused:http://a/')).toMatchObject({ level: 'warning', count: 2 })
  expect(await find('webhookTargetPaused:http://b/')).toMatchObject({ level: 'info', count: 1 })
  const both = [
    { target: 'http://a' },
    { target: 'http://b/', paused: true },
    { target: 'http://b' },
  ]
  await call('POST', '/v1/settings', { body: { webhookTargets: both } })
  expect(await find('webhookTargetPaused:http://b/')).toBeUndefined()
  expect(await find('queueLate:notify')).toMatchObject({ count: 3 })
  await pause('http://c/', 'http://none/')
  expect(await find('webhookTargetPaused:http://c/')).toMatchObject({ level: 'info', count: 1 })
  expect(await find('webhookTargetPaused:http://none/')).toMatchObject({ level: 'info', count: 0 })
  expect(await find('queueLate:notify')).toMatchObject({ count: 3 })
  await pause()
  await db.deleteFrom('deliveries').execute()
})

test('listFindings: reports late work of a queue, or its pause', async () => {
  await add('a')
  await sql`
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, next_attempt_at)
    select gen_random_uuid(), gen_random_uuid(), 1, now(), 'x', 'a', 'default', 'http://a/',
      now() - make_interval(mins => mins) from unnest('{1,6,10}'::int[]) mins
  `.execute(db)
  await sql`
    insert into outbox (queue_id, account, shard, source, message_id, envelope, next_attempt_at, lease_until)
    select 'q' || mins, 'a', 0, 'api', '<x>', '{}', now() - make_interval(mins => mins),
      case when mins = 20 then now() + interval '1 minute' end from unnest('{1,7,20}'::int[]) mins
  `.execute(db)
  expect(await find('queueLate:notify')).toMatchObject({ count: 2 })
  expect(await find('queueLate:submit')).toMatchObject({ count: 1 })
  await call('PUT', '/v1/settings/queue/notify', { body: { paused: true } })
  expect(await find('queueLate:notify')).toBeUndefined()
  expect(await find('queuePaused:notify')).toMatchObject({ level: 'warning', count: 2 })
  await call('PUT', '/v1/settings/queue/notify', { body: { paused: false } })
  await db.deleteFrom('deliveries').execute()
})

test('listFindings: reports failing accounts, and failed exports of the last day', async () => {
  for (let n = 0; n < 8; n++) await add(`ok${n}`, 'connected')
  await add('bad', 'authenticationError')
  expect(await find('accountsFailing')).toMatchObject({ level: 'warning', count: 1 })
  await sql`
    insert into exports (export_id, account, shard, day, status, phase, folders, start_date, end_date, text_type, max_bytes,
      include_attachments, sealed, finished_at, expires_at)
    select 'exp_' || hours, 'bad', 0, current_date, 'failed', 'exporting', '{}', now(), now(), '*', 0, false, 'x',
      now() - make_interval(hours => hours), now() from unnest('{1,30}'::int[]) hours
  `.execute(db)
  expect(await find('exportsFailed')).toMatchObject({ count: 1 })
  await sql`delete from exports`.execute(db)
})

test('listFindings: reports migrations of a newer release, and missing ones', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(db)
  expect(await find('schemaAhead')).toMatchObject({ level: 'info', count: 1 })
  const name = '0116-route-expiry'
  await sql`update kysely_migration set name = ${name} || 'x' where name = ${name}`.execute(db)
  expect(await find('schemaBehind')).toMatchObject({ level: 'error', count: 1 })
  await sql`update kysely_migration set name = ${name} where name = ${name} || 'x'`.execute(db)
  await sql`delete from kysely_migration where name = '9999-later'`.execute(db)
})

test('getStatsSeries: sums slots per step, with zeros for gaps and unknown counters', async () => {
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3 * 3_600_000
  const at = (minutes: number) => new Date(hour + minutes * 60_000)
  await db
    .insertInto('statCounters')
    .values([
      { minute: at(0), key: 'events:a', slot: 0, value: '2' },
      { minute: at(0), key: 'events:a', slot: 1, value: '3' },
      { minute: at(2), key: 'events:a', slot: 0, value: '7' },
      { minute: at(3), key: 'events:a', slot: 0, value: '100' },
      { minute: at(1), key: 'submit:fail', slot: 0, value: '1' },
    ])
    .execute()
  const read = (query: Record<string, string>) =>
    call('GET', `/admin/api/stats/series?${new URLSearchParams(query).toString()}`)
  const period = { from: at(0).toISOString(), to: at(3).toISOString() }
  expect((await read({ keys: 'submit:fail,events:a,none', ...period })).body).toEqual({
    ...period,
    step: 60,
    series: [
      { key: 'submit:fail', values: [0, 1, 0] },
      { key: 'events:a', values: [5, 0, 7] },
      { key: 'none', values: [0, 0, 0] },
    ],
  })
  const hours = { from: at(-60).toISOString(), to: at(4).toISOString(), step: '3600' }
  expect((await read({ keys: 'events:a', ...hours })).body['series']).toEqual([
    { key: 'events:a', values: [0, 112] },
  ])
  const { status, body } = await read({ keys: 'events:a' })
  expect(status).toBe(200)
  expect((body['series'] as { values: number[] }[])[0]?.values).toHaveLength(61)
})

test.each([
  ['without keys', ''],
  ['with too many keys', `keys=${Array.from({ length: 21 }, (_, n) => `k${n}`).join(',')}`],
  ['with an empty key', 'keys=a,,b'],
  ['with a step below a minute', 'keys=a&step=30'],
  ['with a step above a day', 'keys=a&step=86460'],
  ['with a time without a zone', 'keys=a&from=yesterday'],
  ['with an unknown parameter', 'keys=a&until=1'],
  ['with too many points', `keys=a&from=${new Date(Date.now() - 2 * 86_400_000).toISOString()}`],
])('getStatsSeries: 400 %s', async (_name, query) => {
  expect((await call('GET', `/admin/api/stats/series?${query}`)).status).toBe(400)
})
