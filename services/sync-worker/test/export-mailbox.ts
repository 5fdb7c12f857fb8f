import { randomUUID } from 'node:crypto'
import { shardOf } from '@posthorn/contracts/shards'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { cacheSettings, connect, type Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { testDatabase } from '@posthorn/testkit'
import type { ExportContent, ExportDriver, ExportReading } from '../src/drivers/export-driver.ts'
import { createExportMetrics } from '../src/exports/export-metrics.ts'
import type { RunDeps } from '../src/exports/export-run.ts'
import { runExport } from '../src/exports/run-export.ts'
import { ensureAccountStatusRows } from '../src/store/account-status.ts'
import type { AccountLease } from '../src/store/lease.ts'
import { claimShards } from '../src/store/shards.ts'
import { saveHeartbeat } from '../src/store/workers.ts'
import { createExport, getExport, readLines } from './export-scene.ts'
import { exportKeyOf } from './world.ts'

/** Database with exports of mailboxes whose reads can fail, without mail servers and RabbitMQ. */
export async function exportDatabase() {
  const database = await testDatabase()
  const db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
  return {
    db: database.db,
    workerDb: db,
    scene: (count: number, includeAttachments = false) =>
      openScene({ owner: database.db, db }, count, includeAttachments),
    async close() {
      await db.destroy()
      await database.drop()
    },
  }
}

interface Databases {
  /** Database connection of the owner of the tables. */
  owner: Db
  /** Database connection with the role of the worker. */
  db: Db
}

/**
 * Claims the shard (group of accounts) of an account for a new worker, as after the death of the
 * shard's holder.
 */
async function claimShard({ owner, db }: Databases, account: string): Promise<AccountLease> {
  const shard = shardOf(account)
  const worker = randomUUID()
  await saveHeartbeat(db, { worker, refusing: false })
  await owner.updateTable('shards').set({ owner: null }).execute()
  const claim = { worker, limit: 256, capacity: 1_000, step: 1_000, expiryMs: 60_000, active: [] }
  const lease = (await claimShards(db, claim)).find((each) => each.shard === shard)
  if (!lease) throw new Error('the shard was not claimed')
  return { ...lease, account }
}

async function insertAccount({ owner, db }: Databases): Promise<string> {
  const account = randomUUID()
  await owner
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: 'x' })
    .execute()
  await ensureAccountStatusRows(db, [account])
  return account
}

/**
 * Fake mailbox with messages `0`, `1`, … in one folder. Reads of the messages by an export can
 * fail.
 */
export class TestMailbox implements ExportDriver {
  readonly count: number
  isDown = false
  lists = 0
  /** Called before the fake mailbox returns a message to an export. */
  onRead: (id: string) => void = () => undefined
  /**
   * Promise for which the fake mail server waits before it returns the next message to an export.
   */
  pause: Promise<unknown> | undefined
  onList: () => void = () => undefined
  contentsOf: (id: string) => ExportContent[] = () => []
  /**
   * Error that the fake mailbox reports for a message that cannot be read; undefined for other
   * messages.
   */
  unreadable: (id: string) => AppError | undefined = () => undefined
  /** Further members of a message in the fake mailbox. */
  messageOf: (id: string) => Partial<MessageDetail> = () => ({})

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
      await this.pause
      const error = this.unreadable(id)
      if (error) {
        yield { state: 'unreadable', error }
        continue
      }
      const contents = this.contentsOf(id)
      const attachments = contents.map((_, at) => ({ id: `${at}`, contentType: 'text/plain' }))
      const rest = contents.length > 0 ? { attachments } : {}
      const message = { id, path: 'a', ...this.messageOf(id), ...rest } as unknown as MessageDetail
      yield { state: 'read', message, contents }
    }
  }

  async check() {
    if (this.isDown) throw lost()
  }
}

export const lost = () => new AppError('unavailable', 'The connection to the mail server failed')

async function openScene(databases: Databases, count: number, includeAttachments: boolean) {
  const { owner, db } = databases
  const account = await insertAccount(databases)
  const lease = await claimShard(databases, account)
  const driver = new TestMailbox(count)
  const exportId = await createExport(owner, account, { includeAttachments })
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
    turns: {
      take: async () => ({ pause: () => Promise.resolve(), [Symbol.dispose]: () => undefined }),
    },
    retryDelayMs: () => 1,
    findAccount: async () => ({ lease, driver, isSyncDue: () => false }),
  }
  return {
    lease,
    driver,
    exportId,
    stop,
    deps,
    /** Runs an export until its end, or until the signal aborts. */
    run: (over: Partial<RunDeps> = {}, signal = stop.signal) =>
      runExport({ ...deps, ...over }, { exportId, account }, signal),
    /**
     * Claims the shard of the exported account for another worker. Returns the function by which
     * this worker finds the account.
     */
    async claim(): Promise<Pick<RunDeps, 'findAccount'>> {
      const next = await claimShard(databases, account)
      return { findAccount: async () => ({ lease: next, driver, isSyncDue: () => false }) }
    },
    row: () => getExport(owner, exportId),
    ids: async () => (await readLines(owner, exportId)).map(({ id }) => id),
    /** Names of the recorded events of the account. */
    events: async (): Promise<string[]> => {
      const rows = await owner
        .selectFrom('events')
        .select('event')
        .where('account', '=', account)
        .execute()
      return rows.map(({ event }) => event)
    },
  }
}

/** Ids of the messages in a mailbox with `count` messages, without the ids in `missing`. */
export const idsWithout = (count: number, ...missing: number[]) =>
  Array.from({ length: count }, (_, id) => id)
    .filter((id) => !missing.includes(id))
    .map(String)
