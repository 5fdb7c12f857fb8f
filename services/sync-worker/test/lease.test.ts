import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { connect, type Db } from '@posthorn/db'
import { eventually, testDatabase, type TestDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { type AccountLease, type Lease, withLease } from '../src/store/lease.ts'
import {
  claimShards,
  countUnclaimedAccounts,
  listShardsOf,
  releaseShard,
} from '../src/store/shards.ts'
import {
  deleteWorker,
  hasFixedSenders,
  listWorkers,
  saveHeartbeat,
  markStopping,
} from '../src/store/workers.ts'
import { ensureAccountStatusRows, findAccountStatus } from '../src/store/account-status.ts'
import { allocateMailboxNumbers } from '../src/store/account-states.ts'

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

const expiryMs = 3_600_000
const limits = { limit: 256, capacity: 1_000, step: 1_000, expiryMs }

async function worker(): Promise<string> {
  const id = randomUUID()
  await saveHeartbeat(db, { worker: id, refusing: false })
  return id
}

async function claimAll(id: string, active: number[] = []): Promise<Lease[]> {
  return claimShards(db, { worker: id, ...limits, active })
}

async function register(): Promise<string> {
  const account = randomUUID()
  await database.db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: 'x' })
    .execute()
  return account
}

/** Registers an account and claims its shard for a new worker. Returns the lease. */
async function leasedAccount(): Promise<AccountLease> {
  const account = await register()
  await ensureAccountStatusRows(db, [account])
  const id = await worker()
  await database.db.updateTable('shards').set({ owner: null }).execute()
  const lease = (await claimAll(id)).find(({ shard }) => shard === shardOf(account))
  if (!lease) throw new Error('the shard was not claimed')
  return { ...lease, account }
}

test('claimShards: one holder per shard for concurrent claims', async () => {
  await database.db.updateTable('shards').set({ owner: null }).execute()
  const workers = await Promise.all([worker(), worker(), worker()])
  const claims = await Promise.all(
    workers.map((id) => claimShards(db, { worker: id, ...limits, limit: 100, active: [] })),
  )
  const shards = claims.flat().map(({ shard }) => shard)
  expect(new Set(shards).size).toBe(shards.length)
  expect(claims.every((claim) => claim.length <= 100)).toBe(true)
})

test('claimShards: claims shards of dead workers only, with a higher epoch', async () => {
  await database.db.updateTable('shards').set({ owner: null }).execute()
  const first = await worker()
  const second = await worker()
  const before = await claimAll(first)
  expect(before).toHaveLength(256)
  expect(await claimAll(second)).toEqual([])
  await database.db
    .updateTable('workers')
    .set({ heartbeatAt: new Date(Date.now() - 2 * expiryMs) })
    .where('id', '=', first)
    .execute()
  const after = await claimAll(second)
  expect(after).toHaveLength(256)
  const epochs = new Map(before.map(({ shard, epoch }) => [shard, Number(epoch)]))
  expect(after.every(({ shard, epoch }) => Number(epoch) === (epochs.get(shard) ?? 0) + 1)).toBe(
    true,
  )
  expect(await listShardsOf(db, first)).toEqual([])
})

test('claimShards: a worker claims its own shards that are not active again', async () => {
  await database.db.updateTable('shards').set({ owner: null }).execute()
  const id = await worker()
  const before = await claimAll(id)
  const active = before.slice(0, 10).map(({ shard }) => shard)
  const again = await claimShards(db, { worker: id, ...limits, active })
  expect(again).toHaveLength(246)
})

test('listWorkers: live workers with their shards, and the caller in any case', async () => {
  await database.db.deleteFrom('workers').execute()
  const [first, second] = [await worker(), await worker()]
  await claimShards(db, { worker: first, ...limits, limit: 3, active: [] })
  await markStopping(db, first)
  await saveHeartbeat(db, { worker: second, refusing: true })
  const rows = [
    { id: first, stopping: true, refusing: false, lends: true, shards: 3 },
    { id: second, stopping: false, refusing: true, lends: true, shards: 0 },
  ]
  const list = (caller: string, validMs = expiryMs) => listWorkers(db, caller, validMs)
  expect(await list(first)).toEqual(expect.arrayContaining(rows))
  expect(await list(second, 0)).toEqual([rows[1]])
  await deleteWorker(db, first)
  expect(await list(second)).toEqual([rows[1]])
})

test('claimShards: stops at the shard with which the step is reached, and within the capacity', async () => {
  await database.db.deleteFrom('workers').execute()
  await database.db.deleteFrom('accounts').execute()
  await sql`
    insert into accounts (account, shard, name)
    select 'a' || n, n % 10, 'Test' from generate_series(0, 39) as n
  `.execute(database.db)
  const claim = { worker: await worker(), ...limits }
  const active: number[] = []
  const claimed = async (change: { capacity?: number; step?: number }) => {
    const leases = await claimShards(db, { ...claim, active, ...change })
    active.push(...leases.map(({ shard }) => shard))
    return new Set(leases.map(({ shard }) => shard))
  }
  expect(await claimed({ step: 0 })).toEqual(new Set())
  expect(await claimed({ capacity: 3 })).toEqual(new Set())
  expect(await countUnclaimedAccounts(db, expiryMs)).toBe(40)
  expect(await claimed({ step: 9 })).toEqual(new Set([0, 1, 2]))
  expect(await countUnclaimedAccounts(db, expiryMs)).toBe(28)
  expect(await claimed({ capacity: 9 })).toEqual(new Set([3, 4]))
  expect(await countUnclaimedAccounts(db, expiryMs)).toBe(20)
})

test('withLease: stale for an old epoch, another owner and a deleted account', async () => {
  const lease = await leasedAccount()
  const store = (input: AccountLease) =>
    withLease(db, input, (tx) => allocateMailboxNumbers(tx, lease.account, { count: 1 }))
  const [number = 0] = await store(lease)
  await expect(store({ ...lease, epoch: String(Number(lease.epoch) - 1) })).rejects.toMatchObject({
    kind: 'stale',
  })
  await expect(store({ ...lease, owner: randomUUID() })).rejects.toMatchObject({ kind: 'stale' })
  await expect(store({ ...lease, account: 'deleted' })).rejects.toMatchObject({ kind: 'stale' })
  expect(await store(lease)).toEqual([number + 1])
})

test('withLease: a claim waits for a transaction and rejects the next', async () => {
  const lease = await leasedAccount()
  const other = await worker()
  const { promise: inside, resolve: enter } = Promise.withResolvers<void>()
  const { promise: leave, resolve: finish } = Promise.withResolvers<void>()
  const first = withLease(db, lease, async (tx) => {
    enter()
    await leave
    return allocateMailboxNumbers(tx, lease.account, { count: 1 })
  })
  await inside
  await database.db
    .updateTable('workers')
    .set({ heartbeatAt: new Date(0) })
    .where('id', '=', lease.owner)
    .execute()
  const skipped = await claimAll(other)
  // The claim skips shards whose rows are locked.
  expect(skipped.map(({ shard }) => shard)).not.toContain(lease.shard)
  finish()
  expect(await first).toEqual([expect.any(Number)])
  const taken = await claimAll(
    other,
    skipped.map(({ shard }) => shard),
  )
  expect(taken.map(({ shard }) => shard)).toEqual([lease.shard])
  await expect(
    withLease(db, lease, (tx) => allocateMailboxNumbers(tx, lease.account, { count: 1 })),
  ).rejects.toMatchObject({ kind: 'stale' })
})

test('releaseShard: an old lease does not release the shard of the next holder', async () => {
  const lease = await leasedAccount()
  await releaseShard(db, lease)
  const other = await worker()
  const [taken] = await claimAll(other)
  expect(taken).toMatchObject({ shard: lease.shard, owner: other })
  await releaseShard(db, lease)
  expect(await listShardsOf(db, other)).toEqual([taken])
})

test('ensureAccountStatusRows: one row per account, none after deletion', async () => {
  const { account } = await leasedAccount()
  await ensureAccountStatusRows(db, [account])
  expect(await findAccountStatus(db, account)).toMatchObject({
    state: 'new',
    stateEpoch: 1,
    accountVersion: '0',
  })
  await database.db.deleteFrom('accounts').where('account', '=', account).execute()
  await ensureAccountStatusRows(db, [account])
  expect(await findAccountStatus(db, account)).toBeUndefined()
})

test('ensureAccountStatusRows: a deletion meanwhile is no error', async () => {
  const [deleted, other] = [await register(), await register()]
  const begun = await database.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('accounts').where('account', '=', deleted).execute()
    const ensured = Promise.allSettled([ensureAccountStatusRows(db, [deleted, other])])
    // The insertion of the account's row has found the account and waits for the deletion of the
    // account.
    await eventually(async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`.execute(
        database.db,
      )
      expect(rows).not.toEqual([])
    })
    return { ensured }
  })
  expect(await begun.ensured).toMatchObject([{ status: 'fulfilled' }])
  expect(await findAccountStatus(db, deleted)).toBeUndefined()
  expect(await findAccountStatus(db, other)).toBeDefined()
})

test('hasFixedSenders: finds live senders of a release that does not borrow units', async () => {
  const insert = (lends: boolean, heartbeatAt: Date) =>
    database.db.insertInto('senders').values({ id: randomUUID(), lends, heartbeatAt }).execute()
  await insert(true, new Date())
  await insert(false, new Date(Date.now() - 2 * expiryMs))
  expect(await hasFixedSenders(db, expiryMs)).toBe(false)
  await insert(false, new Date())
  expect(await hasFixedSenders(db, expiryMs)).toBe(true)
})
