import { afterAll, expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()

const stats = async (query = '') => (await call('GET', `/v1/stats${query}`)).body
const add = (account: string) =>
  db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account })
    .execute()
const hold = (worker: string, shards: readonly number[]) =>
  db
    .updateTable('shards')
    .set({ owner: worker, epoch: sql<string>`epoch + 1` })
    .where('shard', 'in', shards)
    .execute()

test('getStats: returns versions and the state of Postgres and RabbitMQ', async () => {
  await eventually(async () => expect((await stats())['rabbitmq']).toBe(true))
  expect(await stats()).toEqual({
    version: release.version,
    license: 'none',
    accounts: 0,
    node: process.versions.node,
    arch: process.arch,
    postgres: expect.stringMatching(/^\d+(\.\d+)*$/),
    postgresPing: expect.any(Number),
    rabbitmq: true,
    queues: {
      notify: { waiting: 0, active: 0, delayed: 0, failed: 0 },
      submit: { waiting: 0, active: 0, delayed: 0, failed: 0 },
    },
    connections: {
      init: 0,
      connected: 0,
      connecting: 0,
      syncing: 0,
      authenticationError: 0,
      connectError: 0,
      unset: 0,
      disconnected: 0,
      paused: 0,
      unassigned: 0,
    },
    // Statistics may already count requests of this test, so the counters can have any value.
    counters: expect.any(Object),
  })
})

test('getStats: counts each account once; unassigned without a live worker', async () => {
  const accounts = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const account of accounts) await add(account)
  for (const account of ['a', 'b']) await setState(account, 'connected')
  await setState('c', 'authenticationError')
  await setState('e', 'connected')
  const [alive, dead] = [crypto.randomUUID(), crypto.randomUUID()]
  await db
    .insertInto('workers')
    .values([
      // The heartbeat of this worker is an hour ahead, so the worker counts as alive for the whole
      // test.
      { id: alive, heartbeatAt: new Date(Date.now() + 3_600_000) },
      { id: dead, heartbeatAt: new Date(Date.now() - 60_000) },
    ])
    .execute()
  await hold(alive, ['a', 'b', 'c', 'd'].map(shardOf))
  await hold(dead, [shardOf('e')])

  const { accounts: total, connections } = await stats()
  expect(total).toBe(6)
  expect(connections).toMatchObject({
    connected: 2,
    authenticationError: 1,
    // A worker holds the account in the state `init` but has not connected the account yet.
    init: 1,
    unassigned: 2,
  })
  const sum = Object.values(connections as Record<string, number>).reduce((a, b) => a + b, 0)
  expect(sum).toBe(6)
})

const setState = (account: string, state: string) =>
  sql`insert into account_states (account, state) values (${account}, ${state})`.execute(db)

test('getStats: counts rows of queues by kind, up to 10,000', async () => {
  await sql`
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, state, claim, next_attempt_at, finished_at)
    select gen_random_uuid(), gen_random_uuid(), 1, now(), 'x', 'a', 'default', 'http://a/', state,
      case when claimed then gen_random_uuid() end, now() + make_interval(secs => secs), case when state <> 'due' then now() end
    from (values ('due', false, -1), ('due', false, 60), ('due', false, 60), ('due', true, 60), ('due', true, -1),
      ('failed', false, 0), ('delivered', false, 0)) d (state, claimed, secs)
  `.execute(db)
  await sql`
    insert into outbox (queue_id, account, shard, source, state, message_id, envelope, next_attempt_at, lease_until, finished_at)
    select 'q' || n, 'a', 0, 'api', case when n > 5 then 'failed' else 'queued' end, '<x>', '{}',
      case when n in (1, 2) then now() else now() + interval '1 hour' end, case when n = 2 then now() + interval '1 minute' end,
      case when n > 5 then now() end
    from generate_series(1, 7) n
  `.execute(db)
  expect((await stats())['queues']).toEqual({
    notify: { waiting: 2, active: 1, delayed: 2, failed: 1 },
    submit: { waiting: 1, active: 1, delayed: 3, failed: 2 },
  })

  await sql`
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, state)
    select gen_random_uuid(), gen_random_uuid(), 1, now(), 'x', 'a', 'default', 'http://a/', 'failed' from generate_series(1, 10100)
  `.execute(db)
  expect((await stats())['queues']).toMatchObject({ notify: { failed: 10_000 } })
})

test('getStats: counters cover the requested window', async () => {
  await sql`
    insert into stat_counters (minute, key, slot, value)
    select date_trunc('minute', now()) - make_interval(mins => mins), key, slot, value
    from (values (0, 'events:messageNew', 1, 2), (0, 'events:messageNew', 2, 3), (30, 'events:messageNew', 0, 10), (90, 'webhooks:fail', 0, 7)) c (mins, key, slot, value)
  `.execute(db)
  const counters = async (query: string) => {
    const { 'apiCall:success': _ours, ...rest } = (await stats(query))['counters'] as Record<
      string,
      number
    >
    return rest
  }
  expect(await counters('?seconds=60')).toEqual({ 'events:messageNew': 5 })
  expect(await counters('')).toEqual({ 'events:messageNew': 15 })
  expect(await counters('?seconds=604800')).toEqual({ 'events:messageNew': 15, 'webhooks:fail': 7 })
  expect((await call('GET', '/v1/stats?seconds=604801')).status).toBe(400)
})

test('apiCall counters: count successes and failures, flushed at shutdown', async () => {
  await db.deleteFrom('statCounters').execute()
  const gateway = await servers.start()
  // Makes many more API calls than before, because another gateway may flush the counts of the
  // earlier calls now.
  for (let n = 0; n < 100; n++) {
    await gateway.call('GET', '/v1/accounts')
    await gateway.call('GET', '/v1/accounts', { token: null })
  }
  await gateway[Symbol.asyncDispose]()
  const counters = (await stats())['counters'] as Record<string, number>
  expect(counters['apiCall:success']).toBeGreaterThanOrEqual(100)
  expect(counters['apiCall:fail']).toBeGreaterThanOrEqual(100)
})

test('getAccount, listAccounts: counters contain events by name', async () => {
  await db
    .insertInto('accountEventCounts')
    .values([
      { account: 'a', event: 'messageNew', count: '12' },
      { account: 'a', event: 'mailboxNew', count: '3000000000' },
      { account: 'b', event: 'messageNew', count: '1' },
    ])
    .execute()
  const counters = { events: { messageNew: 12, mailboxNew: 3_000_000_000 } }
  expect((await call('GET', '/v1/account/a')).body).toMatchObject({ counters })
  const { body } = await call('GET', '/v1/accounts?pageSize=3')
  expect((body['accounts'] as { counters: object }[]).map((account) => account.counters)).toEqual([
    counters,
    { events: { messageNew: 1 } },
    { events: {} },
  ])
})
