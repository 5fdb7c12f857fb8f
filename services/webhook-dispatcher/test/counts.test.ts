import { afterAll, expect, test } from '@jest/globals'
import { addCounts, connect, countMinutes } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { countEvents, isDeletedAccountError } from '../src/store/statistics.ts'
import { deleteOldCounters } from '../src/store/retention.ts'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
const { db } = bench
const own = connect(bench.env()['DATABASE_URL'] ?? '', { name: 'test' })
afterAll(async () => {
  await own.destroy()
  await bench[Symbol.asyncDispose]()
})

async function sums(): Promise<Record<string, number>> {
  const { rows } = await sql<{ key: string; value: string }>`
    select key, sum(value) as value from stat_counters group by key order by key
  `.execute(db)
  return Object.fromEntries(rows.map(({ key, value }) => [key, Number(value)]))
}
const accountCounts = async () =>
  (await db.selectFrom('accountEventCounts').selectAll().execute()).map(
    ({ account, event, count }) => `${account} ${event} ${count}`,
  )
const fannedOut = () =>
  eventually(
    async () =>
      (await db.selectFrom('events').select('id').where('fannedOutAt', 'is', null).execute())
        .length === 0,
  )

test('countEvents: with two dispatchers, counts each event once per account and minute', async () => {
  const accounts = Array.from({ length: 40 }, (_, n) => `a${n}`)
  for (const account of accounts) await bench.account(account)
  const first = await bench.start()
  const second = await bench.start()
  for (let round = 0; round < 10; round++)
    await Promise.all(
      accounts.flatMap((account, n) => [
        bench.emit({ account, event: 'messageNew' }, { account, event: 'messageDeleted' }),
        ...(n % 4 ? [] : [bench.emitUnpublished({ account, event: 'messageNew' })]),
      ]),
    )
  await bench.emit({ account: 'gone', event: 'accountDeleted' })
  await fannedOut()
  await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()])

  expect(await sums()).toEqual({
    'events:accountDeleted': 1,
    'events:messageDeleted': 400,
    'events:messageNew': 500,
  })
  expect((await accountCounts()).sort()).toEqual(
    accounts
      .flatMap((account, n) => [
        `${account} messageDeleted 10`,
        `${account} messageNew ${n % 4 ? 10 : 20}`,
      ])
      .sort(),
  )
})

test('countEvents: the counts of a deleted account are deleted', async () => {
  await db.deleteFrom('accounts').where('account', '=', 'a1').execute()
  expect((await accountCounts()).filter((row) => row.startsWith('a1 '))).toEqual([])
})

test('isDeletedAccountError: true only if the account was deleted during the transaction', async () => {
  const waiting = () =>
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`.execute(
      db,
    )
  const count = () =>
    own
      .transaction()
      .execute((tx) => countEvents(tx, [{ account: 'a3', event: 'messageNew' }], 0))
      .catch((error: unknown) => error)
  const counting = await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('accounts').where('account', '=', 'a3').execute()
    const failed = count()
    await eventually(async () => expect((await waiting()).rows).toHaveLength(1))
    return { failed }
  })
  expect(isDeletedAccountError(await counting.failed)).toBe(true)
  expect(await count()).toBeUndefined()
  const other: unknown = await sql`select 1 / 0`.execute(own).catch((error: unknown) => error)
  expect(isDeletedAccountError(other)).toBe(false)
})

test('attemptEnded: counts successful and failed attempts', async () => {
  await db.deleteFrom('statCounters').execute()
  const receiver = await bench.receiver()
  receiver.script({ status: 500 })
  await bench.set({ webhooks: receiver.url, webhooksEnabled: true, webhookEvents: ['*'] })
  const dispatcher = await bench.start()
  await bench.emit({ account: 'a2' })
  await eventually(async () =>
    expect((await bench.deliveries('a2')).map(({ state }) => state)).toEqual(['delivered']),
  )
  await dispatcher[Symbol.asyncDispose]()
  expect(await sums()).toMatchObject({ 'webhooks:success': 1, 'webhooks:fail': 1 })
})

test('deleteOldCounters: keeps eight days, and merges the slots of a minute', async () => {
  await db.deleteFrom('statCounters').execute()
  await sql`
    insert into stat_counters (minute, key, slot, value)
    select date_trunc('minute', now()) - make_interval(mins => m), 'k', s, 1
    from unnest(array[0, 20, 1440 * 7, 1440 * 9]) m, generate_series(0, 3) s
  `.execute(db)
  await deleteOldCounters(own, 8)
  await deleteOldCounters(own, 8)
  const rows = await db
    .selectFrom('statCounters')
    .select(['slot', 'value'])
    .orderBy('minute')
    .orderBy('slot')
    .execute()
  expect(rows.map(({ slot, value }) => `${slot}: ${value}`)).toEqual([
    '0: 4',
    '0: 4',
    '0: 1',
    '1: 1',
    '2: 1',
    '3: 1',
  ])
})

test('deleteOldCounters: keeps the use of OAuth2 applications for eight days', async () => {
  await sql`
    insert into oauth2_app_uses
    select 'a', (now() at time zone 'utc')::date - d, d, 1, 0 from unnest(array[0, 7, 8]) d
  `.execute(db)
  await deleteOldCounters(own, 8)
  const rows = await db.selectFrom('oauth2AppUses').select('requests').orderBy('day').execute()
  expect(rows).toEqual([{ requests: '7' }, { requests: '0' }])
})

test('countMinutes: keeps counts while writes fail, and writes them on disposal', async () => {
  await db.deleteFrom('statCounters').execute()
  const errors: unknown[] = []
  const counter = countMinutes(own, { everyMs: 20, onError: (error) => errors.push(error) })
  await sql`revoke insert on stat_counters from posthorn_webhook_dispatcher`.execute(db)
  counter.count('x')
  await eventually(() => expect(errors.length).toBeGreaterThan(1))
  counter.count('x')
  await sql`grant insert on stat_counters to posthorn_webhook_dispatcher`.execute(db)
  await eventually(async () => expect(await sums()).toEqual({ x: 2 }))
  counter.count('y')
  await counter[Symbol.asyncDispose]()
  expect(await sums()).toEqual({ x: 2, y: 1 })
})

test('addCounts: concurrent calls with the same keys do not deadlock', async () => {
  await db.deleteFrom('statCounters').execute()
  const keys = Array.from({ length: 20 }, (_, n) => `k${n}`)
  const some = (n: number) => new Map((n % 2 ? keys : keys.toReversed()).map((key) => [key, 1]))
  await Promise.all(Array.from({ length: 60 }, (_, n) => addCounts(own, some(n))))
  expect(await sums()).toEqual(Object.fromEntries(keys.map((key) => [key, 60])))
})
