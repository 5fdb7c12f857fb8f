import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { cacheSettings, connect, type Db, markPublished } from '@posthorn/db'
import { testDatabase, type TestDatabase } from '@posthorn/testkit'
import type { Account } from '../src/store/accounts.ts'
import {
  createStatusUpdater,
  type ApplyStatusUpdate,
  type StatusUpdateResult,
} from '../src/sessions/account-status.ts'
import { SyncTimes } from '../src/sessions/deferred-writes.ts'
import type { AccountLease } from '../src/store/lease.ts'
import { withLease } from '../src/store/lease.ts'
import { insertMailboxes, type MailboxRow } from '../src/store/mailboxes.ts'
import { claimShards } from '../src/store/shards.ts'
import { saveHeartbeat } from '../src/store/workers.ts'
import { ensureAccountStatusRows, findAccountStatus } from '../src/store/account-status.ts'
import { indexEmptyMailboxes } from '../src/drivers/imap/sync/changes/initial-sync.ts'
import type { IndexEmpty } from '../src/drivers/imap/sync/context.ts'

let database: TestDatabase
let db: Db
let applyStatusUpdate: ApplyStatusUpdate
let indexEmpty: IndexEmpty
const syncTimes = new SyncTimes()
const owner = randomUUID()
const epochs = new Map<number, string>()
beforeAll(async () => {
  database = await testDatabase()
  db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
  const deps = {
    db,
    bus: { up: true, publishEvent: async () => {} },
    settings: cacheSettings(db),
    metrics: { eventsRecorded: () => {} },
    markPublished: (events: Parameters<typeof markPublished>[1]) => markPublished(db, events),
    config: { maxAuthFailureMs: 60_000 },
    syncTimes,
  } as never
  applyStatusUpdate = createStatusUpdater(deps)
  indexEmpty = indexEmptyMailboxes(deps)
  await saveHeartbeat(db, { worker: owner, refusing: false })
  for (const { shard, epoch } of await claimShards(db, {
    worker: owner,
    limit: 256,
    capacity: 1_000,
    step: 1_000,
    active: [],
    expiryMs: 3_600_000,
  }))
    epochs.set(shard, epoch)
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

async function register(): Promise<AccountLease> {
  const account = randomUUID()
  const shard = shardOf(account)
  await database.db.insertInto('accounts').values({ account, shard, name: 'x' }).execute()
  await ensureAccountStatusRows(db, [account])
  return { account, shard, owner, epoch: epochs.get(shard) ?? '0' }
}

const synced = (lease: AccountLease) =>
  applyStatusUpdate({ lease, registeredAt: 1, trigger: { kind: 'synced' } })

const connected = { state: 'connected' }

const stateOf = async ({ account }: AccountLease) => (await findAccountStatus(db, account))?.state

const eventsOf = ({ account }: AccountLease) =>
  database.db.selectFrom('events').select('event').where('account', '=', account).execute()

test('commitBatched: stores status, event and change of many accounts', async () => {
  const leases = await Promise.all(Array.from({ length: 20 }, register))
  const results = await Promise.all(leases.map(synced))
  expect(results).toMatchObject(leases.map(() => ({ status: connected, changed: true })))
  for (const lease of leases) {
    expect(await stateOf(lease)).toBe('connected')
    expect(await eventsOf(lease)).toEqual([{ event: 'accountInitialized' }])
    const changes = await database.db
      .selectFrom('accountChanges')
      .select(['type', 'key'])
      .where('account', '=', lease.account)
      .execute()
    expect(changes).toEqual([{ type: 'state', key: 'connected' }])
  }
  // Writes of an account status that are repeated change nothing and record no event.
  expect(await Promise.all(leases.slice(0, 3).map(synced))).toMatchObject(
    leases.slice(0, 3).map(() => ({ status: connected, changed: false })),
  )
  expect(await eventsOf(leases[0] as AccountLease)).toHaveLength(1)
})

test('commitBatched: stale for a lost lease or deleted account, others are stored', async () => {
  const [first, lost, gone, last] = await Promise.all([
    register(),
    register(),
    register(),
    register(),
  ])
  await database.db.deleteFrom('accounts').where('account', '=', gone.account).execute()
  const outcomes = await Promise.allSettled([
    synced(first),
    synced({ ...lost, epoch: String(Number(lost.epoch) + 1) }),
    synced(gone),
    synced(last),
  ])
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { kind: 'stale' } },
    { status: 'rejected', reason: { kind: 'stale' } },
    { status: 'fulfilled' },
  ])
  expect(await stateOf(lost)).toBe('new')
  expect(await eventsOf(lost)).toEqual([])
  expect(await stateOf(last)).toBe('connected')
})

test('commitBatched: a locked account delays no other', async () => {
  const [locked, ...others] = await Promise.all([register(), register(), register()])
  const held = Promise.withResolvers<void>()
  const inside = Promise.withResolvers<void>()
  const holding = withLease(db, locked, async () => {
    inside.resolve()
    await held.promise
  })
  await inside.promise
  const waits = synced(locked)
  await Promise.all(others.map(synced))
  expect(await stateOf(locked)).toBe('new')
  held.resolve()
  await holding
  expect(await waits).toMatchObject({ status: connected, changed: true })
})

test('createStatusUpdater: an unchanged account stores its sync time later, if the lease is valid', async () => {
  const [lease, lost] = await Promise.all([register(), register()])
  const [{ status: from }, { status: fromLost }] = (await Promise.all(
    [lease, lost].map(synced),
  )) as [StatusUpdateResult, StatusUpdateResult]
  const again = { registeredAt: 1, trigger: { kind: 'synced' } } as const
  await withLease(db, lease, async () => {
    const login = { kind: 'loggedIn', user: 'jane' } as const
    await applyStatusUpdate({ lease, registeredAt: 1, trigger: login, from })
    const { status: standing, changed } = await applyStatusUpdate({ ...again, lease, from })
    expect({ changed, state: standing.state }).toEqual({ changed: false, state: 'connected' })
  })
  const otherEpoch = { ...lost, epoch: String(Number(lost.epoch) + 1) }
  await applyStatusUpdate({ ...again, lease: otherEpoch, from: fromLost })
  expect((await findAccountStatus(db, lease.account))?.syncTime).toEqual(from.syncTime)
  await syncTimes.store(db)
  const stored = (await findAccountStatus(db, lease.account))?.syncTime?.getTime()
  expect(stored).toBeGreaterThan(from.syncTime?.getTime() ?? Infinity)
  expect((await findAccountStatus(db, lost.account))?.syncTime).toEqual(fromLost.syncTime)
})

test('createStatusUpdater: records the event of a first login without another change', async () => {
  const lease = await register()
  const version = '1'
  const begin = { kind: 'starting', version, enabled: true } as const
  const { status: from } = await applyStatusUpdate({ lease, registeredAt: 1, trigger: begin })
  const login = { kind: 'loggedIn', user: 'jane' } as const
  await applyStatusUpdate({ lease, registeredAt: 1, trigger: login, from })
  expect(await eventsOf(lease)).toEqual([{ event: 'authenticationSuccess' }])
})

test('saveAccountStatuses: one syncWarning for each refused mailbox and reason', async () => {
  const lease = await register()
  const pass = (syncError?: { path: string; error: string }) =>
    applyStatusUpdate({
      lease,
      registeredAt: 1,
      trigger: { kind: 'synced', ...(syncError && { syncError }) },
    })
  const [gone, denied] = [
    { path: 'Broken', error: 'NO gone' },
    { path: 'Broken', error: 'NO denied' },
  ]
  for (const syncError of [undefined, gone, gone, denied, undefined, denied]) await pass(syncError)
  const warnings = await database.db
    .selectFrom('accountChanges')
    .select(['key', 'payload'])
    .where('account', '=', lease.account)
    .where('type', '=', 'syncWarning')
    .orderBy('xid')
    .execute()
  const warning = ({ path, error }: typeof gone) => ({
    key: 'mailboxRefused',
    payload: { path, message: error },
  })
  expect(warnings).toEqual([warning(gone), warning(denied), warning(denied)])
})

test('commitBatched: stores both concurrent updates of one account', async () => {
  const lease = await register()
  const login = { lease, registeredAt: 1, trigger: { kind: 'loggedIn', user: 'jane' } } as const
  await Promise.all([applyStatusUpdate(login), synced(lease)])
  expect(await stateOf(lease)).toBe('connected')
  expect((await eventsOf(lease)).map(({ event }) => event).toSorted()).toEqual([
    'accountInitialized',
    'authenticationSuccess',
  ])
})

async function mailbox(lease: AccountLease, number: number): Promise<MailboxRow> {
  const path = `Folder ${number}`
  const listing = {
    path,
    name: path,
    delimiter: '/',
    parentPath: null,
    specialUse: null,
    specialUseSource: null,
    attributes: [],
    subscribed: true,
    mailboxId: null,
  }
  const [row] = await withLease(db, lease, (tx) =>
    insertMailboxes(tx, lease.account, [{ ...listing, number, indexer: 'full' }]),
  )
  return row as MailboxRow
}

test('indexEmptyMailboxes: stores and announces empty mailboxes, skips synced ones', async () => {
  const lease = await register()
  const account = { account: lease.account, registeredAt: 1 } as Account
  const [empty, storedRows] = [await mailbox(lease, 1), await mailbox(lease, 2)]
  const seen = { id: storedRows.id, uidValidity: 5n, uidNext: 9 }
  await indexEmpty({ lease, account, mailboxes: [seen] })
  const filled = await indexEmpty({
    lease,
    account,
    mailboxes: [
      { id: empty.id, uidValidity: 7n, uidNext: 1, highestModseq: 3n },
      { ...seen, uidValidity: 6n },
    ],
  })
  expect([...filled.values()]).toMatchObject([
    {
      id: empty.id,
      uidValidity: '7',
      uidNext: '1',
      highestModseq: '3',
      messages: 0,
      flagsComplete: true,
    },
  ])
  const row = await database.db
    .selectFrom('mailboxes')
    .select(['uidValidity', 'syncedAt'])
    .where('id', '=', storedRows.id)
    .executeTakeFirst()
  expect(row).toEqual({ uidValidity: '5', syncedAt: expect.any(Date) })
  expect(await eventsOf(lease)).toEqual([{ event: 'mailboxNew' }, { event: 'mailboxNew' }])
})
