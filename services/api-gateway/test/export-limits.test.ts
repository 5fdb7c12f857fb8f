import { afterAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import { copyExport, countRowsRead, eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { sumStoredBytes } from '../src/store/exports/export-records.ts'
import { insertExport, type NewExport } from '../src/store/exports/exports.ts'
import { exportWorld, register } from './export-world.ts'

const world = await exportWorld()
afterAll(world.stop)
const { db, call, complete, create } = world
const full = await world.start({ SVC_EXPORT_STORAGE: '10k', SVC_EXPORT_MAX_AGE: '1h' })
const body = { startDate: '2026-01-01', endDate: '2026-02-01' }

const unfinished = async () =>
  db
    .selectFrom('exports')
    .select(['account', sql<number>`count(*)::int`.as('count')])
    .where('status', '=', 'queued')
    .groupBy('account')
    .execute()

/** Creates exports concurrently, alternating between two gateways. Returns the API responses. */
function createMany(accounts: readonly string[], count: number) {
  const requests = Array.from({ length: count }, (_, n) =>
    (n % 2 === 0 ? call : full.call)(
      'POST',
      `/v1/account/${accounts[n % accounts.length]}/export`,
      {
        body,
      },
    ),
  )
  return Promise.all(requests)
}

test('createExport: concurrent requests at two replicas, never exceed the limit of an account', async () => {
  await register(call, 'a')
  const answers = await createMany(['a'], 12)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(10)
  for (const answer of refused)
    expect(answer.body).toEqual({
      statusCode: 429,
      error: 'Too Many Requests',
      code: 'TooManyExports',
      message:
        'The account has 2 unfinished exports (exportMaxConcurrent), wait for one to end or cancel one',
    })
  expect(await unfinished()).toEqual([{ account: 'a', count: 2 }])
})

test('createExport: concurrent requests for many accounts, never exceed the limit of all', async () => {
  await call('POST', '/v1/settings', {
    body: { exportMaxGlobalConcurrent: 5, exportMaxConcurrent: 1 },
  })
  await db.deleteFrom('exports').execute()
  const accounts = Array.from({ length: 9 }, (_, n) => `of-many-${n}`)
  for (const account of accounts) await register(call, account)
  const answers = await createMany(accounts, 18)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  const messages = new Set(answers.map((answer) => answer.body['message']))
  expect(messages).toContain(
    '5 exports of all accounts are unfinished (exportMaxGlobalConcurrent), retry later',
  )
  const counts = await unfinished()
  expect(counts.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1])
})

test('createExport: an ended or cancelled export, makes room for another', async () => {
  await db.deleteFrom('exports').execute()
  const first = await create('a')
  expect((await call('POST', '/v1/account/a/export', { body })).status).toBe(429)
  await call('DELETE', `/v1/account/a/export/${first}`)
  await complete(await create('a'))
  expect((await call('POST', '/v1/account/a/export', { body })).status).toBe(200)
})

test('createExport: storage limit reached, 429 until chunks are removed', async () => {
  await db.deleteFrom('exports').execute()
  const exportId = await create('a')
  await complete(exportId)
  const refused = await full.call('POST', '/v1/account/a/export', { body })
  expect(refused.body).toMatchObject({
    statusCode: 429,
    code: 'TooManyExports',
    message:
      'The storage of exports is full (SVC_EXPORT_STORAGE), delete finished exports or retry later',
  })
  await db.updateTable('exports').set({ storedBytes: '0' }).execute()
  const created = await full.call('POST', '/v1/account/a/export', { body })
  const { body: read } = await call(
    'GET',
    `/v1/account/a/export/${String(created.body['exportId'])}`,
  )
  const lifeMs = Date.parse(String(read['expiresAt'])) - Date.parse(String(read['created']))
  expect(lifeMs).toBe(3_600_000)
})

test('insertExport: many cancelled exports, are not read', async () => {
  await db.deleteFrom('exports').execute()
  await complete(await create('a'))
  const cancelled = await create('a')
  await call('DELETE', `/v1/account/a/export/${cancelled}`)
  await copyExport(db, cancelled, 5_000)
  const input: NewExport = {
    exportId: 'exp_1',
    account: 'a',
    shard: shardOf('a'),
    sealed: 'sealed',
    startDate: new Date(0),
    endDate: new Date(),
    folders: [],
    textType: '*',
    maxBytes: 0,
    includeAttachments: false,
  }
  const limits = { maxOfAccount: 1, maxOfAll: 1, maxStoredBytes: 1e9, maxAgeMs: 3_600_000 }
  await using gateway = connect(world.env.DATABASE_URL, { name: 'test', max: 1 })
  await gateway.transaction().execute(async (tx) => {
    const before = await countRowsRead(tx, 'exports')
    await insertExport(tx, input, limits)
    expect(await sumStoredBytes(tx)).toBeGreaterThan(0)
    expect((await countRowsRead(tx, 'exports')) - before).toBeLessThan(50)
  })
})

test('createExport: account deleted meanwhile, 404 AccountNotFound', async () => {
  await register(call, 'leaving')
  await db.deleteFrom('exports').execute()
  const pending = await db.transaction().execute(async (tx) => {
    await sql`delete from accounts where account = 'leaving'`.execute(tx)
    const request = call('POST', '/v1/account/leaving/export', { body })
    // The insertion of the export waits for the deletion of its account.
    await untilWaiting()
    return { request }
  })
  expect((await pending.request).body).toMatchObject({ statusCode: 404, code: 'AccountNotFound' })
})

async function untilWaiting(): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'insert into "exports"%'`.execute(db)
    return rows.length > 0
  })
}
