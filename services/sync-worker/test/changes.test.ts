import { afterAll, expect, jest, test } from '@jest/globals'
import { connect } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { createChangeBroadcaster } from '../src/events/change-broadcaster.ts'
import { deleteOldChanges } from '../src/store/changes.ts'
import { testWorld } from './world.ts'

const world = await testWorld()
const { db } = world
const own = connect(world.roleUrl('posthorn_sync_worker'), { name: 'test' })
afterAll(async () => {
  await own.destroy()
  await world.close()
})

const changesOf = (account: string) =>
  db
    .selectFrom('accountChanges')
    .select(['type', 'key', 'payload'])
    .where('account', '=', account)
    .orderBy('xid')
    .orderBy('id')
    .execute()

test('saveAccountStatuses: one change per state in order, with a broadcast', async () => {
  let received = 0
  await world.bus.onInvalidate(({ topic }) => void (received += topic === 'changes' ? 1 : 0))
  const worker = await world.startWorker()
  const account = await world.register(world.dovecot.freshUser())
  await world.connected(account)
  const keys = (await changesOf(account)).map(({ key }) => key)
  expect(keys).toEqual(['init', 'connecting', 'syncing', 'connected'])
  await eventually(() => expect(received).toBeGreaterThan(0))
  await eventually(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text()
    expect(metrics).toMatch(/^posthorn_account_sync_duration_seconds_count\{[^}]*\} [1-9]/m)
    expect(metrics).toMatch(/^posthorn_messages_indexed_total\{[^}]*\} 0/m)
    expect(metrics).toMatch(/^posthorn_accounts\{[^}]*state="connected"[^}]*\} 1/m)
  })
})

test('saveAccountStatuses: a failure has the response, once for equal failures', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user, { pass: 'wrong' })
  await eventually(async () => {
    const row = await world.state(account)
    expect(row?.errorCount).toBeGreaterThan(1)
  })
  const trouble = (await changesOf(account)).filter(({ key }) => key === 'authenticationError')
  expect(trouble).toEqual([
    {
      type: 'state',
      key: 'authenticationError',
      payload: { error: expect.objectContaining({ response: expect.any(String) }) },
    },
  ])
})

test('deleteOldChanges: oldest first, stores the horizon', async () => {
  await db.deleteFrom('accountChanges').execute()
  const add = (key: string, age: string) =>
    sql`
      insert into account_changes (account, type, key, created_at) values ('old', 'state', ${key}, now() - ${age}::interval)
    `.execute(db)
  for (const key of ['1', '2', '3']) await add(key, '2 days')
  await add('4', '1 hour')
  const [, , third] = await db
    .selectFrom('accountChanges')
    .select(['xid', 'id'])
    .where('account', '=', 'old')
    .orderBy('xid')
    .execute()

  const sweep = () => deleteOldChanges(own, { keepMs: 86_400_000, limit: 2 })
  await eventually(async () => {
    while ((await sweep()) > 0);
    expect((await changesOf('old')).map(({ key }) => key)).toEqual(['4'])
  })
  const horizon = () =>
    db.selectFrom('accountChangesHorizon').select(['xid', 'id']).executeTakeFirst()
  expect(await horizon()).toEqual(third)
  await sweep()
  expect(await horizon()).toEqual(third)
})

test('deleteOldChanges: deletes transaction ids of another server', async () => {
  await sql`
    insert into account_changes (xid, account, type, key) values ('9000000000000', 'moved', 'state', 'connected')
  `.execute(db)
  await sql`update account_changes_horizon set xid = '9000000000000', id = 7`.execute(db)
  await deleteOldChanges(own, { keepMs: 86_400_000, limit: 100 })
  expect(await changesOf('moved')).toEqual([])
  const { rows } = await sql<{ past: boolean }>`
    select xid <= pg_snapshot_xmax(pg_current_snapshot()) as past from account_changes_horizon
  `.execute(db)
  expect(rows).toEqual([{ past: true }])
})

test('createChangeBroadcaster: merges 1,000 changes, includes the last one', () => {
  jest.useFakeTimers()
  try {
    let broadcasts = 0
    using broadcaster = createChangeBroadcaster({
      up: true,
      invalidate: async () => void broadcasts++,
    })
    for (let n = 0; n < 1_000; n++) broadcaster.broadcast()
    expect(broadcasts).toBe(1)
    jest.advanceTimersByTime(99)
    expect(broadcasts).toBe(1)
    jest.advanceTimersByTime(1)
    expect(broadcasts).toBe(2)
    // After an interval without a broadcast of account changes, the next broadcast is immediate.
    jest.advanceTimersByTime(100)
    broadcaster.broadcast()
    expect(broadcasts).toBe(3)
  } finally {
    jest.useRealTimers()
  }
})
