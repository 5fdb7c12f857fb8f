import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { type Db, recordEvents, type Tx } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { signIn } from './admin-people.ts'
import { SettledEvents } from '../src/events/settled-events.ts'
import { follow, type FollowOptions, type StreamClient } from './event-stream.ts'
import { testServers } from './gateway.ts'
import { recordQueries } from './query-recorder.ts'

const servers = await testServers()
const { db } = servers
const recorder = await recordQueries(servers.env.DATABASE_URL)
afterAll(async () => {
  await servers.stop()
  await recorder[Symbol.asyncDispose]()
})
const one = await servers.start({ DATABASE_URL: recorder.url }, { changesPollMs: 50 })
const other = await servers.start({ SVC_CHANGES_KEEP_ALIVE: '100ms' }, { changesPollMs: 50 })
const path = '/admin/api/events/stream'

/** Follows the stream of events, and waits for the id at which the stream starts. */
async function followEvents(url: string, options: FollowOptions = {}): Promise<StreamClient> {
  const stream = await follow(url, { path, ...options })
  await eventually(() => expect(stream.lastId).toBeDefined())
  return stream
}

/** Records an event in a transaction, as the services do. */
async function record(tx: Tx, account: string, event: string): Promise<string> {
  const [recorded] = await recordEvents(
    tx,
    [{ eventId: randomUUID(), event, account, path: 'INBOX', data: { subject: 'secret' } }],
    null,
  )
  return recorded?.id ?? ''
}
const recordNow = (on: Db, account: string, event: string) =>
  on.transaction().execute((tx) => record(tx, account, event))

test('followEvents: sends heads of new events, without their webhook bodies', async () => {
  const stream = await followEvents(one.url)
  expect([stream.status, stream.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  const row = await recordNow(db, 'a', 'messageNew')
  await stream.expect(1)
  expect(stream.frames).toEqual([
    {
      id: row,
      event: 'message',
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        date: expect.stringMatching(/^20\d\d-/),
        event: 'messageNew',
        account: 'a',
        path: 'INBOX',
      },
    },
  ])
  await stream.stop()
})

test('followEvents: sends only the events of the filter', async () => {
  const stream = await followEvents(one.url, { query: '?account=f&event=messageSent' })
  await recordNow(db, 'f', 'messageNew')
  await recordNow(db, 'g', 'messageSent')
  await recordNow(db, 'f', 'messageSent')
  expect(await stream.expect(1)).toEqual(['f messageSent'])
  await stream.stop()
})

test('followEvents: passed events outside of the filter move the id from which a client resumes', async () => {
  const stream = await followEvents(other.url, { query: '?account=f' })
  const row = await recordNow(db, 'g', 'messageNew')
  await eventually(() => expect(stream.lastId).toBe(row))
  expect(stream.frames).toEqual([])
  await stream.stop()
})

test('Last-Event-ID: at another replica, continues without gap or duplicate', async () => {
  const first = await followEvents(one.url)
  await recordNow(db, 'r', '1')
  await first.expect(1)
  await first.stop()
  for (const event of ['2', '3', '4']) await recordNow(db, 'r', event)
  const second = await followEvents(other.url, { after: first.lastId })
  await recordNow(db, 'r', '5')
  expect(await second.expect(4)).toEqual(['r 2', 'r 3', 'r 4', 'r 5'])
  await second.stop()
  const third = await followEvents(one.url, { query: `?lastEventId=${second.frames[1]?.id}` })
  expect(await third.expect(2)).toEqual(['r 4', 'r 5'])
  await third.stop()
})

test('followEvents: an event committed late is sent, in order, to all streams', async () => {
  const streams = [await followEvents(one.url), await followEvents(other.url)]
  const hasRecorded = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const late = db.transaction().execute(async (tx) => {
    await record(tx, 'late', 'smallerId')
    hasRecorded.resolve()
    await end.promise
  })
  await hasRecorded.promise
  await recordNow(db, 'quick', 'largerId')
  const between = await followEvents(other.url)
  await between.stop()
  for (const stream of streams) expect(stream.changes()).toEqual([])
  end.resolve()
  await late
  const both = ['late smallerId', 'quick largerId']
  for (const stream of streams) expect(await stream.expect(2)).toEqual(both)
  const back = await followEvents(one.url, { after: between.lastId })
  expect(await back.expect(2)).toEqual(both)
  await Promise.all([...streams, back].map((stream) => stream.stop()))
})

test('followEvents: concurrent writers, each event once and in one order on all replicas', async () => {
  const streams = [await followEvents(one.url), await followEvents(other.url)]
  const writer = async (name: number) => {
    for (let n = 0; n < 20; n++)
      await db.transaction().execute(async (tx) => {
        await record(tx, `w${name}`, String(n))
        // Keeps the transaction with an event open for about the duration of a few other
        // transactions.
        await sql`select pg_sleep(${((name * 7 + n * 3) % 5) / 200})`.execute(tx)
        if (n % 7 === 3) await sql`savepoint s`.execute(tx)
      })
  }
  await Promise.all(Array.from({ length: 5 }, (_, name) => writer(name)))
  const { rows } = await sql<{ name: string }>`
    select account || ' ' || event as name from events where account like 'w%' order by id
  `.execute(db)
  expect(rows).toHaveLength(100)
  for (const stream of streams) {
    expect(await stream.expect(100)).toEqual(rows.map(({ name }) => name))
    await stream.stop()
  }
})

test('Last-Event-ID: dropped events, sends one historyLost, then the remaining events', async () => {
  const first = await followEvents(one.url)
  // A table partition of 2020, which the retention of webhook-dispatcher drops.
  await sql`
    create table events_20200101 partition of events
    for values from ('2020-01-01 00:00+00') to ('2020-01-02 00:00+00')
  `.execute(db)
  const { rows } = await sql<{ id: string }>`
    insert into events (event_id, event, account, shard, date, body, published_at, fanned_out_at)
    values (gen_random_uuid(), 'messageNew', 'h', 0, '2020-01-01 12:00+00', '{}', now(), now())
    returning id
  `.execute(db)
  const dropped = rows[0]?.id
  await recordNow(db, 'h', 'stays')
  await first.stop()
  await sql`select drop_event_partitions(7)`.execute(db)
  const back = await followEvents(other.url, { after: first.lastId })
  expect(await back.expect(1)).toEqual(['h stays'])
  expect(back.frames[0]).toEqual({
    id: dropped,
    event: 'historyLost',
    data: { lastEventId: first.lastId },
  })
  await back.stop()
})

test('Last-Event-ID: id of another database, ahead of this one, sends historyLost', async () => {
  const stream = await followEvents(one.url, { after: '900000000000000' })
  await eventually(() =>
    expect(stream.frames[0]).toMatchObject({
      event: 'historyLost',
      data: { lastEventId: '900000000000000' },
    }),
  )
  await stream.stop()
  const { status, body } = await one.call('GET', `${path}?lastEventId=1-1`)
  expect([status, body.fields?.[0]?.path]).toEqual([400, 'lastEventId'])
})

test('SettledEvents: an id that is recorded during a slow read of the bounds is not ahead of the database', async () => {
  const hasRead = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const slow = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      hasRead.resolve()
      await end.promise
      return result
    },
  })
  const events = new SettledEvents(slow)
  const reading = events.findEnd()
  await hasRead.promise
  const row = await recordNow(db, 'ahead', 'messageNew')
  const page = events.list(BigInt(row), 10)
  end.resolve()
  expect(await page).toMatchObject({ entries: [], full: false })
  await reading
})

test('followEvents: many clients share one reader', async () => {
  const reads = () => recorder.statements.filter((text) => text.includes('events_horizon')).length
  const streams = await Promise.all(Array.from({ length: 20 }, () => followEvents(one.url)))
  const before = reads()
  await recordNow(db, 'shared', 'messageNew')
  await Promise.all(streams.map((stream) => stream.expect(1)))
  const shared = recorder.statements.filter((text) => text.includes('from events e')).length
  await eventually(() => expect(reads()).toBeGreaterThan(before + 3))
  expect(recorder.statements.filter((text) => text.includes('from events e'))).toHaveLength(shared)
  await Promise.all(streams.map((stream) => stream.stop()))
})

test('getEvent: people read the body only with the active right to read mail', async () => {
  const stream = await followEvents(one.url)
  await recordNow(db, 'm', 'messageNew')
  await stream.expect(1)
  await stream.stop()
  const { id } = (stream.frames[0]?.data ?? {}) as { id?: string }
  const read = (token: string, query: string) =>
    one.call('GET', `/admin/api/events/${id}${query}`, { token })
  const { credential: person } = await signIn(db, { role: 'auditor' })
  const head = await read(person, '')
  expect(head).toMatchObject({ status: 200, body: { id, event: 'messageNew' } })
  expect(JSON.stringify(head.body)).not.toContain('secret')
  for (const query of ['?payload=true', '?payload=1', '?payload=TRUE'])
    expect(JSON.stringify((await read(person, query)).body)).not.toContain('secret')
  expect(await read(person, '?payload=true')).toMatchObject({
    status: 403,
    body: { code: 'MailReadingRequired' },
  })
  const reader = await signIn(db, { role: 'auditor', readsMail: true })
  expect(await read(reader.credential, '?payload=true')).toMatchObject({
    body: { payload: { data: { subject: 'secret' } } },
  })
})
