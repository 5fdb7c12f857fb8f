import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connect, type Db } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { eventually, testDatabase, type TestDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { holdShards } from '../src/shards/holder.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await testDatabase()
  db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const heartbeatMs = 200
/** Clock that only the test advances: no heartbeat is late because the machine is busy. */
function stoppedClock() {
  let time = 0
  return { now: () => time, pass: (ms: number) => void (time += ms) }
}

test('holdShards: claims expired shards again only after all work on them stopped', async () => {
  const seen: string[] = []
  const { promise: mayStop, resolve: stopped } = Promise.withResolvers<void>()
  let shards = 0
  const clock = stoppedClock()
  await using holder = holdShards({
    db,
    worker: randomUUID(),
    log: createLogger('test', 'silent'),
    metrics: { shardsHeld: (count) => (shards = count) },
    heartbeatMs,
    claimMs: 50,
    now: clock.now,
    observer: {
      async claimed(leases) {
        seen.push(`claimed ${leases.length}`)
      },
      async released(input) {
        if (seen.includes('stopped')) return
        seen.push(`release ${input.length}`)
        await mayStop
        seen.push('stopped')
      },
    },
  })
  await eventually(() => expect(seen).toEqual(['claimed 256']))
  await database.db.transaction().execute(async (tx) => {
    await sql`lock table workers in access exclusive mode`.execute(tx)
    clock.pass(2 * heartbeatMs)
    await eventually(() => expect(seen).toEqual(['claimed 256', 'release 256']))
  })
  // Heartbeats succeed again while the earlier work still runs.
  const notified = new Set<number>()
  await eventually(async () => {
    const worker = await database.db
      .selectFrom('workers')
      .select('heartbeatAt')
      .executeTakeFirstOrThrow()
    clock.pass(heartbeatMs)
    return notified.add(worker.heartbeatAt.getTime()).size >= 4
  })
  expect([shards, holder.leases().size]).toEqual([0, 0])
  stopped()
  await eventually(() =>
    expect(seen).toEqual(['claimed 256', 'release 256', 'stopped', 'claimed 256']),
  )
  expect([...holder.leases().values()].every(({ epoch }) => epoch === '2')).toBe(true)
})

test('holdShards: claims no more than its fair share after losing shards', async () => {
  const clock = stoppedClock()
  await using holder = holdShards({
    db,
    worker: randomUUID(),
    log: createLogger('test', 'silent'),
    metrics: { shardsHeld: () => undefined },
    heartbeatMs,
    claimMs: 50,
    now: clock.now,
    observer: { claimed: async () => undefined, released: async () => undefined },
  })
  await eventually(() => expect(holder.leases().size).toBe(256))
  await database.db.transaction().execute(async (tx) => {
    await sql`lock table workers in access exclusive mode`.execute(tx)
    clock.pass(2 * heartbeatMs)
    await eventually(() => expect(holder.leases().size).toBe(0))
    // Another live worker, which cannot claim the shards of this one.
    await sql`insert into workers (id) values (${randomUUID()})`.execute(tx)
    await sql`update workers set heartbeat_at = now() + interval '1 hour'`.execute(tx)
  })
  await eventually(() => expect(holder.leases().size).toBe(128))
  const { rows } = await sql<{ free: number }>`
    select count(*)::int as free from shards where owner is null
  `.execute(database.db)
  expect(rows).toEqual([{ free: 128 }])
})
