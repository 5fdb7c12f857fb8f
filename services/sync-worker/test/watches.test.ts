import { expect, test } from '@jest/globals'
import { MailApiError, type WatchListener } from '@posthorn/backends/mail-api'
import {
  changesNoticed,
  type ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { counts, database, db, gateway, hash, scene, watched, worker } from './watch-scene.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const refused = () => Promise.reject(new MailApiError('watch-refused', 'Validation failed.'))

test.each(['gmail', 'graph'] as const)(
  'WatchRegistry: a new account of %s is watched',
  async (provider) => {
    const made = await watched(provider)
    const row = await made.row()
    expect(row).toMatchObject({ state: 'active', lastError: null })
    expect(row?.clientStateHash?.toString('base64url')).toBe(
      provider === 'graph' ? hash(made.secret) : undefined,
    )
    expect(made.secret).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(row)).not.toContain(made.secret)
  },
)

test('WatchRegistry: a notification over RabbitMQ with the secret starts a sync, repeated ones do not', async () => {
  const made = await watched('graph')
  await using _server = await worker.serve({
    queue: 'private',
    keys: [`shard.${made.lease.shard}`],
    handlers: [made.registry.handler],
  })
  const notification = { account: made.lease.account, kind: 'changed' as const }
  const genuine = { ...notification, secretHash: hash(made.secret) }
  const to = { keys: [`shard.${made.lease.shard}`], ttlMs: 60_000 }
  const notifications = [...Array<ProviderNotification>(50).fill(genuine), notification]
  await gateway.notify(changesNoticed, { notices: notifications }, to)
  await gateway.notify(changesNoticed, { notices: notifications }, to)
  await eventually(() => expect([counts.accepted, counts.forged]).toEqual([100, 2]))
  await eventually(() => expect(made.syncs[0]).toBe('changed'))
  expect(made.syncs.length).toBeLessThan(10)
  await made.notify('missed')
  await eventually(() => expect(made.syncs.at(-1)).toBe('missed'))
})

test('WatchRegistry: Gmail sends no secret, so only authenticated notifications are accepted', async () => {
  const made = await watched('gmail')
  await made.notify('changed', 'guess')
  expect(counts).toMatchObject({ accepted: 0, forged: 1 })
  await made.notify('changed', undefined)
  await made.notifyAll([{ kind: 'changed' }])
  await eventually(() => expect(made.syncs[0]).toBe('changed'))
})

test('WatchRegistry: a flood of forged notifications causes no query, no sync and no memory', async () => {
  const made = await watched('graph')
  const queried: string[] = []
  const original = db.executeQuery.bind(db)
  Object.assign(db, {
    executeQuery: (query: { sql: string }, ...rest: never[]) => {
      queried.push(query.sql)
      return (original as (...all: unknown[]) => unknown)(query, ...rest)
    },
  })
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (let batch = 0; batch < 200; batch += 1)
    await made.notifyAll(
      Array.from({ length: 100 }, (_, at) => ({
        kind: (['changed', 'missed', 'removed', 'expiring'] as const)[at % 4] ?? 'changed',
        ...(at % 5 === 0 ? {} : { secretHash: hash(`${batch} ${at}`) }),
      })),
    )
  expect(counts).toMatchObject({ accepted: 0, forged: 20_000 })
  expect(made.syncs).toEqual([])
  expect(queried).toEqual([])
  expect(timers()).toBeLessThanOrEqual(before)
  Object.assign(db, { executeQuery: original })
})

test('WatchRegistry: an account without a session is unknown', async () => {
  const made = await watched('graph')
  made.handle[Symbol.dispose]()
  await made.notify('changed')
  expect(counts).toMatchObject({ accepted: 0, unknown: 1 })
})

test.each(['gmail', 'graph'] as const)(
  'WatchRegistry: the watch of %s is renewed daily',
  async (provider) => {
    const made = await watched(provider)
    const first = await made.row()
    const renewIn = (first?.renewAt.getTime() ?? 0) - made.time
    expect(renewIn).toBeGreaterThan(0.89 * day)
    expect(renewIn).toBeLessThan(1.11 * day)
    made.advance(0.8 * day)
    await made.row() // due renewals of watches have started
    made.advance(0.4 * day)
    await eventually(() => expect(counts.renewed).toBe(1))
    const row = await made.row()
    const attemptedAt = new Date(made.time)
    expect(row).toMatchObject({ remoteId: first?.remoteId, attemptedAt })
    expect(row?.expiresAt.getTime()).toBeGreaterThan(first?.expiresAt.getTime() ?? 0)
    expect(made.secrets).toHaveLength(1)
  },
)

test('WatchRegistry: after a restart, the stored watch is used and its secret is valid', async () => {
  const made = await watched('graph')
  await made.registry[Symbol.asyncDispose]()
  made.restart()
  await eventually(() => expect(made.handle.isActive).toBe(true))
  await made.notify('changed')
  expect(made.syncs).toEqual(['changed'])
  expect(made.secrets).toHaveLength(1)
})

test('WatchRegistry: watches that a crash left at the provider are stopped', async () => {
  const made = await scene('graph', (each) => {
    void each.model.watches.start()
    void each.model.watches.start()
  })
  await eventually(() => expect(made.handle.isActive).toBe(true))
  const row = await made.row()
  expect(made.model.watches.list()?.map(({ id }) => id)).toEqual([row?.remoteId])
})

test('WatchRegistry: a watch that the provider removed silently is created again', async () => {
  const made = await watched('graph')
  made.model.watches.removeAll()
  made.advance(1.2 * day)
  await eventually(() => expect(counts.created).toBe(2))
  await eventually(() => expect(made.syncs).toEqual(['missed']))
  await made.notify('changed', made.secrets[0])
  expect(counts).toMatchObject({ accepted: 0, forged: 1 })
})

test('WatchRegistry: after `removed`, the watch is created again and all is compared', async () => {
  const made = await watched('graph')
  await made.notify('removed')
  await eventually(() => expect(counts.created).toBe(2))
  await eventually(() => expect(made.syncs).toEqual(['missed']))
  await eventually(() => expect(made.handle.isActive).toBe(true))
})

test('WatchRegistry: a burst of `expiring` renews once per expiry', async () => {
  const made = await watched('graph')
  made.time += hour
  for (let at = 0; at < 10; at += 1) await made.notify('expiring')
  await eventually(() => expect(counts.renewed).toBe(1))
  made.time += hour
  await made.notify('expiring')
  await eventually(() => expect(counts.renewed).toBe(2))
})

test('WatchRegistry: a renewal with a rejected token is repeated, and no error of the account', async () => {
  const made = await watched('graph')
  const rejected = new MailApiError('token-rejected', 'Claims challenge.', { status: 401 })
  made.changes = { renewWatch: () => Promise.reject(rejected) }
  await made.notify('expiring')
  await eventually(() => expect(counts.failed).toBe(1))
  const counted = { state: 'active', createFailures: 0, renewFailures: 1, lastError: null }
  await eventually(async () => expect(await made.row()).toMatchObject(counted))
  expect(made.handle.isActive).toBe(true)
  made.changes = {}
  await made.notify('expiring')
  made.advance(minute)
  await eventually(() => expect(counts.renewed).toBe(1))
  expect(await made.errors()).toEqual([])
  expect(made.secrets).toHaveLength(1)
})

test('WatchRegistry: after a restart, unknown watches are stopped and a removed one is created', async () => {
  const made = await watched('graph')
  const { remoteId } = made.handle
  await made.registry[Symbol.asyncDispose]()
  void made.model.watches.start()
  made.restart()
  await eventually(() => expect(made.model.watches.list()?.map(({ id }) => id)).toEqual([remoteId]))
  await made.registry[Symbol.asyncDispose]()
  made.syncs.length = 0
  made.model.watches.removeAll()
  made.lease = { ...made.lease }
  made.restart()
  await eventually(() => expect(made.syncs).toEqual(['missed']))
  expect(made.handle.remoteId).not.toBe(remoteId)
})

test('WatchRegistry: the next session of the same lease does not check the watches again', async () => {
  const made = await watched('graph')
  made.handle[Symbol.dispose]()
  made.handle = made.add()
  await eventually(() => expect(made.handle.isActive).toBe(true))
  made.advance(0)
  await made.registry[Symbol.asyncDispose]()
  expect(counts).toMatchObject({ created: 1, renewed: 0 })
})

test('WatchRegistry: between connections of a session, notifications arrive and nothing is renewed', async () => {
  const made = await watched('graph')
  const { remoteId } = made.handle
  made.syncs.length = 0
  made.handle.pause()
  await made.notify('changed')
  await made.notify('missed')
  made.advance(2 * day)
  made.handle = made.add()
  await eventually(() => expect(made.syncs.at(-1)).toBe('missed'))
  await eventually(() => expect(counts).toMatchObject({ created: 1, renewed: 1, accepted: 2 }))
  expect(made.handle.remoteId).toBe(remoteId)
})

test('WatchRegistry: a refusal is reported once, and the account is watched when it ends', async () => {
  const made = await scene('graph', (each) => (each.changes = { watch: refused }))
  await eventually(async () => expect((await made.row())?.state).toBe('failed'))
  for (let at = 2; at <= 4; at += 1) {
    made.advance(hour)
    await eventually(() => expect(counts.failed).toBe(at))
  }
  await made.registry[Symbol.asyncDispose]()
  made.restart()
  made.advance(hour)
  await eventually(() => expect(counts.failed).toBe(5))
  const data = { response: 'Validation failed.', serverResponseCode: 'SubscriptionSetupError' }
  await eventually(async () => expect(await made.errors()).toEqual([['connectError', data]]))
  expect([made.handle.isActive, made.handle.isRefused]).toEqual([false, true])
  const attemptedAt = new Date(made.time)
  const counted = { createFailures: 5, renewFailures: 0, attemptedAt }
  await eventually(async () => expect(await made.row()).toMatchObject(counted))
  const { state } = await database.db
    .selectFrom('accountStates')
    .select('state')
    .where('account', '=', made.lease.account)
    .executeTakeFirstOrThrow()
  expect(state).toBe('new') // the account state is unchanged
  made.changes = {}
  made.advance(2 * hour)
  await eventually(() => expect(made.handle.isActive).toBe(true))
  expect(await made.row()).toMatchObject({ createFailures: 0, renewFailures: 0 })
  expect(await made.errors()).toHaveLength(1)
})

test('WatchRegistry: only a lasting refusal of Gmail is reported', async () => {
  const made = await scene('gmail', (each) => (each.changes = { watch: refused }))
  await eventually(() => expect(counts.failed).toBe(1))
  made.advance(minute)
  await eventually(() => expect(counts.failed).toBe(2))
  expect([await made.row(), await made.errors()]).toEqual([undefined, []])
  made.changes = {}
  // A notification that this service sent itself reports that the Pub/Sub topic was created.
  await made.notifyAll([{ kind: 'changed', isOwn: true }])
  await eventually(() => expect(made.handle.isActive).toBe(true))
  expect(await made.errors()).toEqual([])

  made.changes = { watch: refused, renewWatch: refused }
  for (let at = 3; at <= 5; at += 1) {
    made.advance(2 * day)
    await eventually(() => expect(counts.failed).toBe(at))
  }
  await eventually(async () => expect(await made.errors()).toHaveLength(1))
})

test('WatchRegistry: a temporary failure is reported after 5 attempts without a watch', async () => {
  const failing = () => Promise.reject(new MailApiError('unavailable', 'No response.'))
  const made = await scene('graph', (each) => (each.changes = { listWatches: failing }))
  for (let at = 1; at <= 5; at += 1) {
    await eventually(() => expect(counts.failed).toBe(at))
    if (at < 5) expect(await made.errors()).toEqual([])
    made.advance(hour)
  }
  await eventually(async () => expect(await made.errors()).toHaveLength(1))
})

test('WatchRegistry: without a destination there is no watch, and no error', async () => {
  const made = await scene('graph', (each) => (each.hasDestination = false))
  made.advance(hour)
  expect(await made.row()).toBeUndefined()
  made.hasDestination = true
  made.advance(hour)
  await eventually(() => expect(made.handle.isActive).toBe(true))
  expect(await made.errors()).toEqual([])
})

test('WatchRegistry: a watch whose destination is removed is inactive until there is another', async () => {
  const made = await watched('graph')
  made.hasDestination = false
  made.advance(1.2 * day)
  await eventually(() => expect(made.handle.isActive).toBe(false))
  made.hasDestination = true
  made.advance(hour)
  await eventually(() => expect(made.handle.isActive).toBe(true))
  await eventually(() => expect(made.syncs.at(-1)).toBe('missed'))
  expect(counts).toMatchObject({ created: 2, failed: 0 })
})

test('WatchRegistry: a silent watch is replaced, at most once an hour', async () => {
  const made = await watched('gmail')
  const minutes = (count: number) => new Date(made.time - count * 60_000)
  made.handle.reportUnannounced(minutes(4))
  made.handle.reportUnannounced(minutes(6))
  made.handle.reportUnannounced(minutes(6))
  await eventually(() => expect(counts.created).toBe(2))
  await eventually(() => expect(made.handle.isActive).toBe(true))
  made.handle.reportUnannounced(minutes(6))
  await made.notifyAll([{ kind: 'changed' }])
  made.time += 2 * hour
  await made.notifyAll([{ kind: 'changed' }])
  made.handle.reportUnannounced(minutes(6)) // a provider notification has followed this change
  made.advance(0)
  await eventually(() => expect(made.handle.isActive).toBe(true))
  expect(counts.created).toBe(2)
})

test('WatchRegistry: a worker that lost the lease stores nothing', async () => {
  const made = await watched('graph')
  const before = await made.row()
  await database.db
    .updateTable('shards')
    .set({ owner: null, epoch: sql`epoch + 1` })
    .where('shard', '=', made.lease.shard)
    .execute()
  made.advance(1.2 * day)
  await eventually(() =>
    expect(made.model.watches.list()?.[0]?.expiresAt.getTime()).toBeGreaterThan(
      before?.expiresAt.getTime() ?? 0,
    ),
  )
  await made.registry[Symbol.asyncDispose]()
  expect(await made.row()).toEqual(before)
})

test('WatchRegistry: a client that listens itself notifies until its session ends', async () => {
  const connections: { listener: WatchListener; end: () => void }[] = []
  const listen = (_secret: string, _signal: AbortSignal, listener?: WatchListener) => {
    if (!listener) throw new Error('no listener')
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    connections.push({ listener, end })
    return Promise.resolve({ id: '', expiresAt: new Date(Date.now() + 30 * day), ended })
  }
  const changes = { watch: listen, listWatches: () => Promise.resolve(undefined) }
  const made = await scene('gmail', (scene) => void (scene.changes = changes))
  await eventually(() => expect(made.handle.isActive).toBe(true))
  await eventually(() => expect(made.syncs).toEqual(['changed']))
  connections[0]?.listener.onNotification('changed')
  await eventually(() => expect(made.syncs).toEqual(['changed', 'changed']))

  connections[0]?.end()
  await eventually(() => expect(made.handle.isActive).toBe(false))
  expect(connections).toHaveLength(1)
  made.advance(minute)
  await eventually(() => expect(made.handle.isActive).toBe(true))
  expect(connections.map(({ listener }) => listener.until.aborted)).toEqual([true, false])
  // Messages may have changed while the client had no connection for notifications, so the feeds
  // (lists of changes) are read. All messages are not compared.
  await eventually(() => expect(made.syncs).toEqual(['changed', 'changed', 'changed']))

  connections[0]?.listener.onNotification('missed')
  made.handle[Symbol.dispose]()
  expect(connections[1]?.listener.until.aborted).toBe(true)
  connections[1]?.listener.onNotification('missed')
  connections[1]?.end()
  expect(made.syncs).not.toContain('missed')
  expect(await made.errors()).toEqual([])
})
