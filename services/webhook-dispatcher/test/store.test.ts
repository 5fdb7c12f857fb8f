import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Db } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { nextState, releasedResult } from '../src/attempt/outcome.ts'
import { AttemptRecorder } from '../src/attempt/recorder.ts'
import { claimDueDeliveries, renewClaims } from '../src/store/delivery-claims.ts'
import { beginAttempts, recordResults } from '../src/store/delivery-state.ts'
import { countDue, findNextDueMs, findOldestDueSeconds } from '../src/store/due-deliveries.ts'
import { runRetention } from '../src/store/retention.ts'
import { createSchedule } from '../src/targets/options.ts'
import { storeDatabase } from './store-database.ts'

const database = await storeDatabase()
const { db, own } = database
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => db.deleteFrom('deliveries').execute())

const me = { id: crypto.randomUUID(), leaseMs: 60_000 }
const other = { id: crypto.randomUUID(), leaseMs: 60_000 }
const limits = { perLane: 64, overall: 2_000, capacities: new Map<string, number>() }
const ok = {
  outcome: '2xx',
  status: 200,
  headers: {},
  body: Buffer.alloc(0),
  durationMs: 1,
} as const

let row = 0
async function insert(lane: string, count: number, more: object = {}): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    id: crypto.randomUUID(),
    eventId: crypto.randomUUID(),
    eventRow: String(++row),
    eventDate: new Date(),
    event: 'messageSent',
    account: 'a',
    target: 'default',
    lane,
    ...more,
  }))
  for (let at = 0; at < count; at += 2_000)
    await db
      .insertInto('deliveries')
      .values(rows.slice(at, at + 2_000))
      .execute()
}

test('claimDueDeliveries: a lane with many due rows does not hide the others', async () => {
  await insert('http://a-slow.example/', 20_000, { nextAttemptAt: new Date(Date.now() - 60_000) })
  await insert('http://b.example/', 3)
  await insert('http://c.example/', 5)
  await insert('http://d-full.example/', 5)
  const claimed = await claimDueDeliveries(own, me, {
    ...limits,
    capacities: new Map([
      ['http://d-full.example/', 0],
      ['http://c.example/', 2],
    ]),
  })
  const lanes = [...Map.groupBy(claimed, ({ lane }) => lane)]
  expect(Object.fromEntries(lanes.map(([lane, { length }]) => [lane, length]))).toEqual({
    'http://a-slow.example/': 64,
    'http://b.example/': 3,
    'http://c.example/': 2,
  })
})

test('claimDueDeliveries: skips rows that are not due and rows of another process', async () => {
  const nextAttemptAt = new Date(Date.now() + 60_000)
  await insert('http://a.example/', 1, { attempts: 1, lastOutcome: 'http-5xx', nextAttemptAt })
  expect(await claimDueDeliveries(own, me, limits)).toEqual([])
  expect(await findNextDueMs(own)).toBeGreaterThan(50_000)
  await insert('http://a.example/', 1)
  expect(await findNextDueMs(own)).toBeLessThanOrEqual(0)
  expect(await claimDueDeliveries(own, me, limits)).toHaveLength(1)
  expect(await claimDueDeliveries(own, other, limits)).toEqual([])
  expect(await countDue(own, 10)).toBe(2)
  expect(await countDue(own, 1)).toBe(1)
})

/** Counts of this Postgres connection: sequential scans, and rows read by an index. */
async function readRows(tx: Db): Promise<{ scans: number; read: number }> {
  const { rows } = await sql<{ scans: string; read: string }>`
    select seq_scan as scans, idx_tup_fetch as read from pg_stat_xact_user_tables
    where relname = 'deliveries'
  `.execute(tx)
  return { scans: Number(rows[0]?.scans), read: Number(rows[0]?.read) }
}

describe('findOldestDueSeconds', () => {
  const hoursAgo = (hours: number) => ({ nextAttemptAt: new Date(Date.now() - hours * 3_600_000) })
  /** Age of the oldest due webhook delivery in whole hours, which no delay of the test changes. */
  const hours = async (suspended: string[] = []) =>
    Math.floor((await findOldestDueSeconds(own, suspended)) / 3_600)

  test('age of the oldest due row outside the suspended lanes, 0 without one', async () => {
    expect(await findOldestDueSeconds(own, [])).toBe(0)
    await insert('http://later.example/', 1, hoursAgo(-1))
    expect(await findOldestDueSeconds(own, [])).toBe(0)
    await insert('http://a.example/', 2, hoursAgo(3.5))
    await insert('http://b.example/', 2, hoursAgo(2.5))
    await insert('http://b.example/', 1, hoursAgo(1.5))
    expect(await hours()).toBe(3)
    expect(await hours(['http://c.example/'])).toBe(3)
    expect(await hours(['http://a.example/'])).toBe(2)
    expect(await findOldestDueSeconds(own, ['http://a.example/', 'http://b.example/'])).toBe(0)
  })

  test('reads a few rows, however many are due in a suspended lane', async () => {
    await insert('http://a.example/', 20_000, hoursAgo(3.5))
    await insert('http://b.example/', 1, hoursAgo(2.5))
    await sql`analyze deliveries`.execute(db)
    for (const suspended of [[], ['http://a.example/']])
      await own.transaction().execute(async (tx) => {
        const before = await readRows(tx)
        await findOldestDueSeconds(tx, suspended)
        await findNextDueMs(tx, suspended)
        const after = await readRows(tx)
        expect(after.scans).toBe(before.scans)
        expect(after.read - before.read).toBeLessThan(20)
      })
  })
})

test('findNextDueMs: leaves out paused lanes', async () => {
  await insert('http://a.example/', 1, { nextAttemptAt: new Date(Date.now() - 60_000) })
  expect(await findNextDueMs(own, ['http://a.example/'])).toBeUndefined()
  await insert('http://b.example/', 1, { nextAttemptAt: new Date(Date.now() + 60_000) })
  expect(await findNextDueMs(own, ['http://a.example/'])).toBeGreaterThan(50_000)
  expect(await findNextDueMs(own, ['http://b.example/'])).toBeLessThan(-50_000)
})

test('recordResults: stores the end and the duration of the last attempt', async () => {
  await insert('http://a.example/', 1)
  const [delivery] = await claimDueDeliveries(own, me, limits)
  const id = delivery?.id ?? ''
  const last = () =>
    db.selectFrom('deliveries').select(['lastEndedAt', 'lastDurationMs']).executeTakeFirst()
  await recordResults(own, [releasedResult(id, false)], me.id)
  expect(await last()).toEqual({ lastEndedAt: null, lastDurationMs: null })
  await claimDueDeliveries(own, me, limits)
  const schedule = createSchedule(undefined, 5_000)
  await recordResults(
    own,
    [nextState({ id, attempts: 1 }, { ...ok, durationMs: 12.6 }, schedule)],
    me.id,
  )
  expect(await last()).toEqual({ lastEndedAt: expect.any(Date), lastDurationMs: 13 })
})

test('beginAttempts, renewClaims, recordResults: skip a row that another process has claimed', async () => {
  await insert('http://a.example/', 1)
  const [delivery] = await claimDueDeliveries(own, { ...me, leaseMs: 0 }, limits)
  const id = delivery?.id ?? ''
  expect(await claimDueDeliveries(own, other, limits)).toHaveLength(1)
  expect(await beginAttempts(own, [{ id, attempts: 0 }], { id: me.id, minLeaseMs: 0 })).toEqual(
    new Map(),
  )
  await renewClaims(own, [id], { ...me, leaseMs: 3_600_000 })
  await recordResults(
    own,
    [nextState({ id, attempts: 1 }, ok, createSchedule(undefined, 5_000))],
    me.id,
  )
  expect(await findNextDueMs(own)).toBeLessThanOrEqual(60_000)
  expect(await beginAttempts(own, [{ id, attempts: 0 }], { id: other.id, minLeaseMs: 0 })).toEqual(
    new Map([[id, 1]]),
  )
  await recordResults(
    own,
    [nextState({ id, attempts: 1 }, ok, createSchedule(undefined, 5_000))],
    other.id,
  )
  expect(
    await db
      .selectFrom('deliveries')
      .select(['state', 'attempts', 'lastStatus'])
      .executeTakeFirst(),
  ).toEqual({ state: 'delivered', attempts: 1, lastStatus: 200 })
})

test('claimDueDeliveries: defers rows after an ordered one of another process, not after a retried one', async () => {
  await insert('http://a.example/', 1, { attempts: 1, lastOutcome: 'http-5xx' })
  await insert('http://a.example/', 1)
  expect(await claimDueDeliveries(own, other, limits)).toHaveLength(2)
  await insert('http://a.example/', 3)
  await insert('http://a.example/', 1, { account: 'b' })
  await insert('http://b.example/', 1)
  const waits = () => claimDueDeliveries(own, me, limits)
  expect((await waits()).map(({ account, lane }) => [account, lane])).toEqual([
    ['b', 'http://a.example/'],
    ['a', 'http://b.example/'],
  ])
  const [held] = await db
    .selectFrom('deliveries')
    .select('id')
    .orderBy('eventRow')
    .offset(1)
    .execute()
  const result = nextState(
    { id: held?.id ?? '', attempts: 1 },
    ok,
    createSchedule(undefined, 5_000),
  )
  await recordResults(own, [result], other.id)
  await eventually(async () => expect(await waits()).toHaveLength(3))
})

test('beginAttempts: requires minLeaseMs, and counts a repeated attempt once', async () => {
  await insert('http://a.example/', 1)
  const [delivery] = await claimDueDeliveries(own, me, limits)
  const counted = [{ id: delivery?.id ?? '', attempts: 0 }]
  const begin = (minLeaseMs: number) => beginAttempts(own, counted, { id: me.id, minLeaseMs })
  expect((await begin(me.leaseMs * 2)).size).toBe(0)
  expect([...(await begin(me.leaseMs / 3)).values()]).toEqual([1])
  expect([...(await begin(0)).values()]).toEqual([1])
})

test('AttemptRecorder.precount: begin needs no further statement, cancelPrecount reports unused ones', async () => {
  await insert('http://a.example/', 2)
  const upcoming = await claimDueDeliveries(own, me, limits)
  const recorder = new AttemptRecorder({ db: own, owner: me, log: createLogger('test', 'silent') })
  recorder.precount('http://a.example/', upcoming)
  await recorder.drainPrecounts()
  const [first, second] = upcoming
  if (!first || !second) throw new Error('two were inserted')
  const stopped = AbortSignal.abort() // with this aborted signal, no SQL statement would begin
  expect(await recorder.begin(first, stopped)).toBe(1)
  expect(await recorder.cancelPrecount(first.id)).toBe(false)
  expect(await recorder.cancelPrecount(second.id)).toBe(true)
})

test('AttemptRecorder.cancelPrecount: waits for a running pre-count', async () => {
  await insert('http://a.example/', 1)
  const upcoming = await claimDueDeliveries(own, me, limits)
  const recorder = new AttemptRecorder({ db: own, owner: me, log: createLogger('test', 'silent') })
  recorder.precount('http://a.example/', upcoming)
  expect(await recorder.cancelPrecount(upcoming[0]?.id ?? '')).toBe(true)
})

test('recordResults: a released attempt is subtracted and the last result stays', async () => {
  await insert('http://a.example/', 1, { attempts: 3, lastOutcome: 'http-5xx', lastStatus: 500 })
  const [delivery] = await claimDueDeliveries(own, me, limits)
  const id = delivery?.id ?? ''
  await beginAttempts(own, [{ id, attempts: 3 }], { id: me.id, minLeaseMs: 0 })
  await recordResults(own, [releasedResult(id, true)], me.id)
  expect(
    await db
      .selectFrom('deliveries')
      .select(['state', 'attempts', 'claim', 'lastOutcome', 'lastStatus'])
      .executeTakeFirst(),
  ).toEqual({
    state: 'due',
    attempts: 3,
    claim: null,
    lastOutcome: 'http-5xx',
    lastStatus: 500,
  })
})

test('runRetention: deletes finished deliveries after their retention, never due ones', async () => {
  const ago = (ms: number) => new Date(Date.now() - ms)
  await insert('http://a.example/', 1, {
    state: 'delivered',
    finishedAt: ago(120_000),
    account: 'old',
  })
  await insert('http://a.example/', 1, {
    state: 'dropped',
    finishedAt: ago(120_000),
    account: 'old',
  })
  await insert('http://a.example/', 1, {
    state: 'delivered',
    finishedAt: ago(1_000),
    account: 'fresh',
  })
  await insert('http://a.example/', 1, {
    state: 'failed',
    finishedAt: ago(120_000),
    account: 'failed',
  })
  await insert('http://a.example/', 1, {
    state: 'failed',
    finishedAt: ago(7_200_000),
    account: 'long ago',
  })
  await insert('http://a.example/', 1, { queuedAt: ago(7_200_000), account: 'waits' })
  const keep = { keepEventDays: 7, keepDeliveredMs: 60_000, keepFailedMs: 3_600_000 }
  await runRetention(own, keep, createLogger('test', 'silent'))(new AbortController().signal)
  const left = await db.selectFrom('deliveries').select('account').orderBy('eventRow').execute()
  expect(left.map(({ account }) => account)).toEqual(['fresh', 'failed', 'waits'])
})
