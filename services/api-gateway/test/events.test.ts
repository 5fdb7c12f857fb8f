import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import type { Tx } from '@posthorn/db'
import { faultSize } from '@posthorn/testkit'
import { sql } from 'kysely'
import { listEvents } from '../src/store/events/events.ts'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()
const path = '/admin/api/events'

interface Head {
  id: string
  event: string
  deliveryState: string
}

/** Inserts events into Postgres, three per second since `from`, and returns their ids. */
async function insert(
  count: number,
  { account = 'a', event = 'messageNew', from = new Date() } = {},
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => ({
    eventId: randomUUID(),
    event,
    account,
    shard: shardOf(account),
    date: new Date(from.getTime() + Math.floor(n / 3) * 1000),
    path: 'INBOX',
    specialUse: null,
    body: JSON.stringify({ event, account, data: { subject: `secret ${n}` } }),
  }))
  await db.insertInto('events').values(rows).execute()
  return rows.map(({ eventId }) => eventId)
}

const list = async (query: string) => {
  const { status, body } = await call('GET', `${path}?${query}`)
  expect([status, body['message']]).toEqual([200, undefined])
  return body as unknown as { events: Head[]; nextCursor: string | null }
}

test('listEvents: pages, latest first, without gaps or duplicates', async () => {
  const yesterday = new Date(Date.now() - 86_400_000)
  const ids = [
    ...(await insert(12, { account: 'paged', from: yesterday })),
    ...(await insert(13, { account: 'paged' })),
  ]
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await list(`account=paged&pageSize=7${cursor}`)
    seen.push(...page.events.map(({ id }) => id))
    expect(page.events.length).toBeLessThanOrEqual(7)
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  expect(seen).toEqual(ids.toReversed())
})

test('listEvents: filters by account, event and time, without the webhook bodies', async () => {
  const from = new Date('2026-01-01T00:00:00Z')
  const [created] = await insert(1, { account: 'f', from })
  const [sent] = await insert(1, { account: 'f', event: 'messageSent', from })
  const [late] = await insert(1, { account: 'f', from: new Date('2026-01-02T00:00:00Z') })
  const ids = async (query: string) => (await list(query)).events.map(({ id }) => id)
  expect(await ids('account=f')).toEqual([late, sent, created])
  expect(await ids('account=f&event=messageSent')).toEqual([sent])
  expect(await ids('event=messageSent&until=2026-01-02')).toEqual([sent])
  const period = 'since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z'
  expect(await ids(period)).toEqual([sent, created])
  expect(await ids('account=f&since=2026-01-02T00:00:00Z')).toEqual([late])
  expect(await ids('account=unknown')).toEqual([])
  // Times that Postgres itself would reject: year 0, and an offset above 15:59.
  expect(await ids('account=f&since=0000-01-01')).toEqual([late, sent, created])
  expect(await ids('event=messageSent&until=2026-01-02T00:00:00%2B23:00')).toEqual([sent])
  const { events } = await list('account=f&event=messageSent')
  expect(events).toEqual([
    {
      id: sent,
      date: from.toISOString(),
      event: 'messageSent',
      account: 'f',
      path: 'INBOX',
      deliveryState: 'none',
    },
  ])
})

test('listEvents: delivery state of all deliveries of an event, replays instead of replayed ones', async () => {
  const ids = await insert(5, { account: 'd' })
  const deliver = async (
    n: number,
    state: 'due' | 'delivered' | 'failed' | 'dropped',
    more = {},
  ) => {
    const id = randomUUID()
    const event = {
      eventId: ids[n] ?? '',
      eventRow: '1',
      eventDate: new Date(),
      event: 'messageNew',
    }
    const target = { account: 'd', target: randomUUID(), lane: 'https://a.example/' }
    await db
      .insertInto('deliveries')
      .values({ id, ...event, ...target, state, ...more })
      .execute()
    return id
  }
  await deliver(1, 'delivered')
  await deliver(1, 'dropped')
  await deliver(2, 'delivered')
  await deliver(2, 'due')
  await deliver(2, 'failed')
  const failed = await deliver(3, 'failed', { replayedAt: new Date() })
  await deliver(3, 'delivered', { replayOf: failed })
  await deliver(4, 'dropped')
  const { events } = await list('account=d')
  expect(events.map(({ deliveryState }) => deliveryState)).toEqual([
    'dropped',
    'delivered',
    'failed',
    'delivered',
    'none',
  ])
  expect((await call('GET', `${path}/${ids[2] ?? ''}`)).body).toMatchObject(events[2] ?? {})
})

test('getEvent: contains the webhook body only with payload=true', async () => {
  const [id = ''] = await insert(1, { account: 'b' })
  const { body: head } = await call('GET', `${path}/${id}`)
  expect(Object.keys(head).sort()).toEqual([
    'account',
    'date',
    'deliveryState',
    'event',
    'id',
    'path',
  ])
  expect((await call('GET', `${path}/${id}?payload=true`)).body).toEqual({
    ...head,
    payload: { event: 'messageNew', account: 'b', data: { subject: 'secret 0' } },
  })
  expect((await call('GET', `${path}/${randomUUID()}`)).status).toBe(404)
  const farCursor = '?cursor=-999999999999999999_0'
  for (const wrong of ['/nonsense', '?cursor=1', farCursor, '?since=yesterday', '?pageSize=0'])
    expect((await call('GET', path + wrong)).status).toBe(400)
  expect((await call('GET', `${path}?acount=a`)).status).toBe(400)
})

test('events: need a token with the scope *', async () => {
  const token = await mint(call, { scopes: ['api'] })
  for (const where of [path, `${path}/${randomUUID()}`, `${path}/stream`]) {
    expect((await call('GET', where, { token })).status).toBe(403)
    expect((await call('GET', where, { token: null })).status).toBe(401)
  }
})

/** Number of rows that the transaction has read from the table partitions of `events`. */
async function countReads(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: string }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_xact_user_tables
    where relname like 'events\\_%'
  `.execute(tx)
  return Number(rows[0]?.read)
}

const total = faultSize({ small: 150_000, full: 1_000_000 })

test(`listEvents: at ${total} events, reads only the rows of the page`, async () => {
  // Inserts rare events and accounts among many others: a scan of the events would read most of the
  // rows. Each insertion ends within the statement timeout, also on a busy machine.
  const everySeconds = 400_000 / total
  for (let first = 1; first <= total; first += 50_000)
    await sql`
      insert into events (event_id, event, account, shard, date, body)
      select gen_random_uuid(), case when n % ${total / 10}::int = 0 then 'rareEvent' else 'messageNew' end,
        case when n % ${total / 20}::int = 0 then 'rare' else 'account' || n % 2000 end, 0,
        now() + n * make_interval(secs => ${everySeconds}), ''
      from generate_series(${first}::int, ${first + 49_999}::int) n
    `.execute(db)
  await sql`analyze events`.execute(db)
  const middle = new Date(Date.now() + 2 * 86_400_000)
  const cursor = `${middle.getTime() * 1000}_1000000`
  const until = middle.toISOString()
  for (const filter of [
    {},
    { account: 'rare' },
    { event: 'rareEvent' },
    { until },
    { event: 'rareEvent', since: until },
    { account: 'account7', until },
    { account: 'rare', event: 'messageNew' },
    { cursor },
    { account: 'rare', cursor },
  ]) {
    const page = { ...filter, pageSize: 100 }
    const { count, read } = await db.transaction().execute(async (tx) => {
      const before = await countReads(tx)
      const { events } = await listEvents(tx, page)
      return { count: events.length, read: (await countReads(tx)) - before }
    })
    expect({ filter, isFound: count > 4, isBounded: read <= 1_000 }).toEqual({
      filter,
      isFound: true,
      isBounded: true,
    })
  }
})
