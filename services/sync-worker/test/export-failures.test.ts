import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { cacheSettings, connect, type Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testDatabase, type TestDatabase } from '@posthorn/testkit'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import type { ExportContent, ExportDriver, ExportReading } from '../src/drivers/export-driver.ts'
import { createExportMetrics } from '../src/exports/export-metrics.ts'
import { type RunDeps, runExport } from '../src/exports/run-export.ts'
import { ensureAccountStatusRows } from '../src/store/account-status.ts'
import type { AccountLease } from '../src/store/lease.ts'
import { claimShards, saveHeartbeat } from '../src/store/shards.ts'
import { createExport, getExport, readLines } from './export-scene.ts'
import { exportKeyOf } from './world.ts'

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

async function leasedAccount(): Promise<AccountLease> {
  const account = randomUUID()
  const shard = shardOf(account)
  await database.db.insertInto('accounts').values({ account, shard, name: 'x' }).execute()
  await ensureAccountStatusRows(db, [account])
  const worker = randomUUID()
  await saveHeartbeat(db, { worker, refusing: false })
  await database.db.updateTable('shards').set({ owner: null }).execute()
  const claim = { worker, limit: 256, capacity: 1_000, step: 1_000, expiryMs: 60_000, active: [] }
  const lease = (await claimShards(db, claim)).find((each) => each.shard === shard)
  if (!lease) throw new Error('the shard was not claimed')
  return { ...lease, account }
}

/** Mailbox with messages `0`, `1`, … in one folder, whose reads can fail. */
class TestMailbox implements ExportDriver {
  readonly count: number
  isDown = false
  lists = 0
  /** Called before a message is read. */
  onRead: (id: string) => void = () => undefined
  onList: () => void = () => undefined
  contentsOf: (id: string) => ExportContent[] = () => []

  constructor(count: number) {
    this.count = count
  }

  async folders() {
    return [{ id: 'a' }]
  }

  async *list() {
    this.lists++
    this.onList()
    const entries = Array.from({ length: this.count }, (_, order) => ({ order, id: `${order}` }))
    yield { entries, cursor: 'end' }
  }

  async *read(ids: readonly string[]): AsyncGenerator<ExportReading> {
    await this.check()
    for (const id of ids) {
      this.onRead(id)
      const contents = this.contentsOf(id)
      const attachments = contents.map((_, at) => ({ id: `${at}`, contentType: 'text/plain' }))
      const rest = contents.length > 0 ? { attachments } : {}
      const message = { id, path: 'a', ...rest } as unknown as MessageDetail
      yield { state: 'read', message, contents }
    }
  }

  async check() {
    if (this.isDown) throw lost()
  }
}

const lost = () => new AppError('unavailable', 'The connection to the mail server failed')
const broken = () => new AppError('internal', 'unreadable')

async function scene(count: number, includeAttachments = false) {
  const lease = await leasedAccount()
  const driver = new TestMailbox(count)
  const exportId = await createExport(database.db, lease.account, { includeAttachments })
  const stop = new AbortController()
  const deps: RunDeps = {
    commit: {
      db,
      bus: { up: false, publishEvent: () => Promise.resolve() },
      settings: cacheSettings(db),
      metrics: { eventsRecorded: () => undefined },
      markPublished: () => Promise.resolve(),
    },
    metrics: createExportMetrics(createMetrics('test')),
    readKey: async () => exportKeyOf(exportId),
    config: { exports: { maxAgeMs: 60_000, maxStoredBytes: 1e9, maxUnavailableMs: 60_000 } },
    log: createLogger('test', 'silent'),
    turns: { take: async () => ({ [Symbol.dispose]: () => undefined }) },
    retryDelayMs: () => 1,
    findAccount: async () => ({ lease, driver, isSyncDue: () => false }),
  }
  const run = (over: Partial<RunDeps> = {}) =>
    runExport({ ...deps, ...over }, { exportId, account: lease.account }, stop.signal)
  const row = () => getExport(database.db, exportId)
  const ids = async () => (await readLines(database.db, exportId)).map(({ id }) => id)
  return { lease, driver, exportId, stop, run, row, ids }
}

const idsWithout = (count: number, ...missing: number[]) =>
  Array.from({ length: count }, (_, id) => id)
    .filter((id) => !missing.includes(id))
    .map(String)

test('runExport: message that fails three times while the server works, is skipped', async () => {
  const { driver, run, row, ids } = await scene(700)
  const attempts = new Map<string, number>()
  driver.onRead = (id) => {
    if (id !== '3' && id !== '650') return
    attempts.set(id, (attempts.get(id) ?? 0) + 1)
    throw broken()
  }
  await run()
  expect(await row()).toMatchObject({ messagesExported: 698, messagesSkipped: 2 })
  expect(await ids()).toEqual(idsWithout(700, 3, 650))
  for (const count of attempts.values()) expect(count).toBeGreaterThanOrEqual(3)
})

test('runExport: message that fails twice, is exported once', async () => {
  const { driver, run, row, ids } = await scene(20)
  let failures = 0
  driver.onRead = (id) => {
    if (id === '7' && ++failures <= 2) throw broken()
  }
  await run()
  expect(await row()).toMatchObject({ messagesExported: 20, messagesSkipped: 0 })
  expect(await ids()).toEqual(idsWithout(20))
})

test('runExport: server unavailable for a while, skips nothing', async () => {
  const { driver, run, row, ids } = await scene(20)
  let isFirst = true
  driver.onRead = (id) => {
    if (id !== '5' || !isFirst) return
    isFirst = false
    driver.isDown = true
    throw lost()
  }
  const running = run()
  await eventually(async () => expect((await row()).unavailableSince).not.toBeNull())
  expect((await row()).messagesExported).toBe(5)
  driver.isDown = false
  await running
  expect(await row()).toMatchObject({ status: 'completed', messagesSkipped: 0 })
  expect((await row()).unavailableSince).toBeNull()
  expect(await ids()).toEqual(idsWithout(20))
})

test('runExport: folder of the list disappears, lists again', async () => {
  const { driver, run, row, ids } = await scene(5)
  driver.onList = () => {
    if (driver.lists === 1) throw new AppError('not-found', 'The folder does not exist')
  }
  await run()
  expect(await row()).toMatchObject({ status: 'completed', messagesQueued: 5 })
  expect(await ids()).toEqual(idsWithout(5))
})

test('runExport: content that breaks off, leaves no part of its message', async () => {
  const { driver, run, ids, exportId } = await scene(3, true)
  const content = randomBytes(5 * 1024 * 1024)
  let opened = 0
  const open = async () => {
    const isBroken = ++opened === 1
    return (async function* () {
      yield content.subarray(0, 4 * 1024 * 1024)
      if (isBroken) throw lost()
      yield content.subarray(4 * 1024 * 1024)
    })()
  }
  driver.contentsOf = (id) => (id === '1' ? [{ open }] : [])
  await run()
  expect(await ids()).toEqual(['0', '1', '2'])
  const [, line] = await readLines(database.db, exportId)
  expect(line?.attachments?.[0]?.content).toBe(content.toString('base64'))
  expect(opened).toBe(2)
})

test('runExport: content that is refused in the middle, becomes an error of the attachment', async () => {
  const { driver, run, ids, exportId } = await scene(3, true)
  const open = async () =>
    (async function* () {
      yield randomBytes(4 * 1024 * 1024)
      throw new AppError('rejected', 'refused')
    })()
  driver.contentsOf = (id) => (id === '1' ? [{ open }, { bytes: Buffer.from('x') }] : [])
  await run()
  expect(await ids()).toEqual(['0', '1', '2'])
  const [, line] = await readLines(database.db, exportId)
  expect(line?.attachments).toEqual([
    expect.objectContaining({ contentError: 'refused' }),
    expect.objectContaining({ content: 'eA==' }),
  ])
})

test('runExport: worker that lost its lease, stores nothing', async () => {
  const { lease, driver, run, row } = await scene(20)
  driver.onRead = (id) => {
    if (id === '10') throw broken()
  }
  await database.db
    .updateTable('shards')
    .set((shard) => ({ epoch: shard('epoch', '+', '1') }))
    .where('shard', '=', lease.shard)
    .execute()
  await run()
  expect(await row()).toMatchObject({ status: 'queued', chunks: 0, position: null })
})

test('runExport: two workers with the same lease, the file has each message once', async () => {
  const { run, row, ids } = await scene(2_000)
  await Promise.all([run(), run()])
  expect(await row()).toMatchObject({ status: 'completed', messagesExported: 2_000 })
  expect(await ids()).toEqual(idsWithout(2_000))
})

test('runExport: cancelled during a turn, stops and stores nothing more', async () => {
  const { driver, run, row, exportId } = await scene(1_200)
  driver.onRead = (id) => {
    if (id === '600')
      void database.db
        .updateTable('exports')
        .set({ status: 'cancelled' })
        .where('exportId', '=', exportId)
        .execute()
  }
  await run()
  expect((await row()).status).toBe('cancelled')
})
