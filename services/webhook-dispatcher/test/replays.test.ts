import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ReplayFilter } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
const dispatcher = await bench.start()
const { db } = bench
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

/** Requests a replay of failed webhook deliveries as api-gateway does. */
async function requestReplay(filter: ReplayFilter): Promise<string> {
  const id = crypto.randomUUID()
  await db
    .insertInto('webhookReplays')
    .values({ id, filter: JSON.stringify(filter) })
    .execute()
  return id
}
const done = (id: string) =>
  eventually(async () => {
    const row = await db
      .selectFrom('webhookReplays')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.state).toBe('done')
    return row
  })
const states = async (account: string) =>
  (await bench.deliveries(account)).map(({ state }) => state).sort()

/** Account with failed webhook deliveries, whose receiver accepts again. */
async function failed(account: string, count: number) {
  const receiver = await bench.receiver()
  receiver.replyWith(() => ({ status: 307 }))
  await bench.account(account, { webhooks: receiver.url })
  const events = await bench.emit(...Array.from({ length: count }, () => ({ account })))
  await eventually(async () =>
    expect(await states(account)).toEqual(Array.from({ length: count }, () => 'failed')),
  )
  receiver.replyWith(() => ({}))
  const before = receiver.requests.length
  return { events, again: () => receiver.requests.slice(before) }
}

/** Adds copies of the failed webhook delivery of an account, each of a separate event. */
const addCopies = (account: string, count: number) =>
  sql`
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane,
      state, attempts, finished_at, last_outcome)
    select gen_random_uuid(), gen_random_uuid(), event_row, event_date, event, account, target, lane,
      state, attempts, finished_at, last_outcome
    from deliveries, generate_series(1, ${count}::integer) where account = ${account}
  `.execute(db)

test('runReplays: replays a failed delivery once, as a new delivery of the same event', async () => {
  const { events, again } = await failed('one', 2)
  const [first] = await bench.deliveries('one')
  await done(await requestReplay({ id: first?.id ?? '' }))
  await eventually(async () =>
    expect(await states('one')).toEqual(['delivered', 'failed', 'failed']),
  )
  expect(again()).toHaveLength(1)
  expect(again()[0]?.headers['x-svc-wh-event-id']).toBe(events[0])
  expect(again()[0]?.headers['x-svc-wh-id']).not.toBe(first?.id)
  expect(again()[0]?.headers['x-svc-wh-attempts-made']).toBe('0')
  const repeat = await db
    .selectFrom('deliveries')
    .select(['id', 'replayOf'])
    .where('account', '=', 'one')
    .where('state', '=', 'delivered')
    .executeTakeFirstOrThrow()
  expect(repeat.replayOf).toBe(first?.id)
  expect(await done(await requestReplay({ id: first?.id ?? '' }))).toMatchObject({
    total: '0',
    replayed: '0',
  })
  expect(again()).toHaveLength(1)
})

test('runReplays: a filter selects its deliveries only, in several batches', async () => {
  const many = await failed('many', 1)
  // Failing 603 webhook deliveries by calls would take minutes on a busy machine.
  await addCopies('many', 602)
  const other = await failed('other', 2)
  const [id, twice] = await Promise.all([
    requestReplay({
      account: 'many',
      event: 'messageSent',
      target: 'account',
      outcome: 'redirect-refused',
    }),
    requestReplay({ account: 'many' }),
  ])
  const [row, second] = await Promise.all([done(id), done(twice)])
  expect(Number(row.replayed) + Number(second.replayed)).toBe(603)
  await eventually(() => expect(many.again()).toHaveLength(603), { timeoutMs: 250_000 })
  expect(new Set(many.again().map(({ headers }) => headers['x-svc-wh-event-id'])).size).toBe(603)
  expect(other.again()).toHaveLength(0)
})

test.each<[string, ReplayFilter, number]>([
  ['another event', { event: 'messageNew' }, 0],
  ['another target', { target: 'default' }, 0],
  ['another address', { address: 'https://other.example/' }, 0],
  ['another outcome', { outcome: 'http-5xx' }, 0],
  ['later', { since: new Date(Date.now() + 3_600_000).toISOString() }, 0],
  ['earlier', { until: new Date(Date.now() - 3_600_000).toISOString() }, 0],
  ['now', { since: new Date(Date.now() - 3_600_000).toISOString() }, 1],
])('runReplays: filter by %s', async (name, filter, count) => {
  const account = `filter ${name}`
  await failed(account, 1)
  expect(await done(await requestReplay({ account, ...filter }))).toMatchObject({
    total: String(count),
    replayed: String(count),
  })
})

test('recordResults: with webhooksAttemptLog, stores every attempt', async () => {
  const [receiver, other] = [await bench.receiver(), await bench.receiver()]
  await bench.set({ webhooksAttemptLog: true })
  await bench.account('warm', { webhooks: other.url })
  await bench.account('logged', { webhooks: receiver.url })
  await eventually(async () => {
    // The setting `webhooksAttemptLog` takes effect within seconds.
    await bench.emit({ account: 'warm' })
    const log = await db.selectFrom('webhookAttempts').selectAll().execute()
    expect(log.length).toBeGreaterThan(0)
  })
  receiver.script({ status: 500, body: 'out of order' }, { instead: 'drop' })
  const [eventId = ''] = await bench.emit({ account: 'logged' })
  await eventually(async () => {
    const log = await db
      .selectFrom('webhookAttempts')
      .innerJoin('deliveries', 'deliveries.id', 'webhookAttempts.delivery')
      .select(['attempt', 'outcome', 'status', 'response', 'durationMs'])
      .where('deliveries.eventId', '=', eventId)
      .orderBy('attempt')
      .execute()
    expect(log).toMatchObject([
      { attempt: 1, outcome: 'http-5xx', status: 500, response: 'out of order' },
      { attempt: 2, outcome: 'reset', status: null, response: null },
      { attempt: 3, outcome: '2xx', status: 200 },
    ])
  })
  await bench.set({ webhooksAttemptLog: false })
})
