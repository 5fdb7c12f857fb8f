import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import type { Db } from '@posthorn/db'
import { eventually, freePort } from '@posthorn/testkit'
import { sql } from 'kysely'
import { findOldestDueSeconds } from '../src/store/maintenance.ts'
import { listDue } from '../src/store/outbox.ts'
import type { LaneKeys } from '../src/store/submission.ts'
import { senderFixture } from './fixture.ts'

// Tests of the age of the oldest due submission, by which senders are scaled.

const fixture = await senderFixture()
const { db } = fixture
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => db.deleteFrom('outbox').execute())

/** Address of an unreachable outgoing server: no server listens on port 1. */
const server = { host: '127.0.0.1', port: 1 }
const none: LaneKeys = { accounts: [], gateways: [], hosts: [] }
const hour = 3_600
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
const submit = (account: string, ageSeconds: number, more: object = {}) =>
  fixture.submit({ account, sendAt: ago(ageSeconds), ...more })
/** Age of the oldest due submission in whole hours, which no delay of the test changes. */
const hours = async (suspended = none) =>
  Math.floor((await findOldestDueSeconds(db, suspended)) / hour)

test('findOldestDueSeconds: age of the oldest due row, 0 without one', async () => {
  expect(await findOldestDueSeconds(db, none)).toBe(0)
  const account = await fixture.addAccount(server)
  await submit(account, -hour)
  expect(await findOldestDueSeconds(db, none)).toBe(0)
  await submit(account, 1.5 * hour)
  await submit(account, 3.5 * hour)
  expect(await hours()).toBe(3)
})

test('findOldestDueSeconds: skips submissions that are held, in flight or used up', async () => {
  const account = await fixture.addAccount(server)
  const change = async (queueId: string, values: object) =>
    db.updateTable('outbox').set(values).where('queueId', '=', queueId).execute()
  await change(await submit(account, 5.5 * hour), { state: 'held' })
  await change(await submit(account, 4.5 * hour), { leaseUntil: ago(-hour), attempts: 1 })
  await change(await submit(account, 3.5 * hour), { attempts: 10 })
  await submit(account, 2.5 * hour)
  expect(await hours()).toBe(2)
})

test('findOldestDueSeconds: skips suspended lanes of accounts, gateways and hosts', async () => {
  const [a, b] = [await fixture.addAccount(server), await fixture.addAccount(server)]
  const c = await fixture.addAccount({ host: '127.0.0.2', port: 1 })
  const gateway = await fixture.addGateway({ host: '127.0.0.3', port: 1 })
  await submit(a, 5.5 * hour)
  await submit(a, 4.5 * hour, { gateway })
  await submit(b, 3.5 * hour)
  await submit(c, 2.5 * hour)
  expect(await hours()).toBe(5)
  expect(await hours({ ...none, accounts: [a] })).toBe(4)
  expect(await hours({ ...none, accounts: [a], gateways: [gateway] })).toBe(3)
  expect(await hours({ ...none, accounts: [`${a}\n${gateway}`], hosts: ['127.0.0.1:1'] })).toBe(2)
  expect(await hours({ ...none, gateways: [gateway], hosts: ['127.0.0.1:1', '127.0.0.2:1'] })).toBe(
    0,
  )
})

/** Inserts due outbox rows, of which the first `old` rows are 1 h older than the other rows. */
async function insertDue(account: string, rows: { old: number; all: number }): Promise<void> {
  await sql`
    insert into outbox (queue_id, account, shard, source, message_id, envelope, next_attempt_at)
    select 'q' || n, ${account}, 0, 'api', '<' || n || '@example.com>', '{"from": "a", "to": []}',
      now() - make_interval(mins => case when n <= ${rows.old}::integer then 150 else 90 end)
    from generate_series(1, ${rows.all}::integer) as n
  `.execute(db)
  await sql`analyze outbox`.execute(db)
}

/**
 * Counts of this Postgres connection: sequential scans of the outbox, and rows read by an index.
 */
async function readRows(tx: Db): Promise<{ scans: number; read: number }> {
  const { rows } = await sql<{ scans: string; read: string }>`
    select seq_scan as scans, idx_tup_fetch as read from pg_stat_xact_user_tables
    where relname = 'outbox'
  `.execute(tx)
  return { scans: Number(rows[0]?.scans), read: Number(rows[0]?.read) }
}

test('findOldestDueSeconds: skips accounts that their provider paused', async () => {
  const [paused, other] = [await fixture.addAccount(server), await fixture.addAccount(server)]
  await submit(paused, 3.5 * hour)
  await submit(other, 1.5 * hour)
  const lock = { account: paused, queueId: 'q', worker: randomUUID(), leaseUntil: ago(1) }
  await db
    .insertInto('sendingLocks')
    .values({ ...lock, pausedUntil: ago(-hour) })
    .execute()
  expect(await hours()).toBe(1)
  await db.deleteFrom('sendingLocks').execute()
  expect(await hours()).toBe(3)
})

test('findOldestDueSeconds: reads one row of many, and at most 10,000 if lanes are suspended', async () => {
  const account = await fixture.addAccount(server)
  await insertDue(account, { old: 10_000, all: 30_000 })
  const readBy = (suspended: LaneKeys) =>
    db.transaction().execute(async (tx) => {
      const before = await readRows(tx)
      const age = await findOldestDueSeconds(tx, suspended)
      const { scans, read } = await readRows(tx)
      return {
        hours: Math.floor(age / hour),
        scans: scans - before.scans,
        read: read - before.read,
      }
    })
  expect(await readBy(none)).toEqual({ hours: 2, scans: 0, read: 1 })
  const accounts = [account]
  expect(await readBy({ ...none, accounts })).toEqual({ hours: 2, scans: 0, read: 10_000 })
})

test('listDue: reads one batch of many due rows, by index', async () => {
  await insertDue(await fixture.addAccount(server), { old: 0, all: 30_000 })
  const options = { limit: 200, senders: { worker: randomUUID(), silent: [] }, saturated: none }
  await db.transaction().execute(async (tx) => {
    const before = await readRows(tx)
    // Postgres may use a general plan from the sixth execution of the query on.
    for (let n = 0; n < 8; n++) expect(await listDue(tx, options)).toHaveLength(200)
    const { scans, read } = await readRows(tx)
    expect([scans - before.scans, read - before.read]).toEqual([0, 8 * 200])
  })
})

test('metric outbox_oldest_due_seconds: 0 while the queue is paused', async () => {
  const account = await fixture.addAccount(server)
  await db.insertInto('pausedQueues').values({ queue: 'submit' }).execute()
  const port = await freePort()
  await using _sender = await fixture.startSender({ SVC_PORT: String(port) })
  const age = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^posthorn_outbox_oldest_due_seconds\{.*\} (.+)$/m.exec(text)?.[1])
  }
  await submit(account, hour)
  expect(await age()).toBe(0)
  // Every sending attempt fails after this test has read the age: no sender claims a locked outbox
  // row.
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('outbox').selectAll().forUpdate().execute()
    await db.deleteFrom('pausedQueues').execute()
    await eventually(async () => expect(await age()).toBeGreaterThan(hour))
  })
})

test('without RabbitMQ: ready, and the metric reports it', async () => {
  const port = await freePort()
  const env = { SVC_PORT: String(port), AMQP_URL: 'amqp://nobody@127.0.0.1:1' }
  await using _sender = await fixture.startSender(env)
  const ready = await fetch(`http://127.0.0.1:${port}/health/ready`)
  expect([ready.status, await ready.json()]).toMatchObject([200, { success: true }])
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(metrics).toMatch(/^posthorn_bus_up\{.*\} 0$/m)
})
