import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { shardOf } from '@posthorn/contracts/shards'
import { appendExportChunk, cacheSettings, connect, type Db, type Exports } from '@posthorn/db'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import {
  copyExport,
  countRowsRead,
  eventually,
  testBus,
  testDatabase,
  writeExport,
} from '@posthorn/testkit'
import { type Insertable, sql } from 'kysely'
import { removeExports } from '../src/remove-exports.ts'
import {
  dropExportPartitions,
  listExpiredExports,
  removeExportChunks,
} from '../src/store/exports.ts'
import { sumStoredBytes } from '../src/store/running-exports.ts'

const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
const { db } = database
const url = database.roleUrl('posthorn_sync_worker')
const worker = connect(url, { name: 'test', max: 2 })
const other = connect(url, { name: 'test', max: 2 })
const log = createLogger('test', 'silent')
const bus = await connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') })
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await Promise.all([worker.destroy(), other.destroy()])
  await Promise.all([database.drop(), broker.drop()])
})
const deps = { bus, settings: cacheSettings(db), maxAgeMs: 86_400_000 }
const never = new AbortController().signal
const remove = (pool = worker) => removeExports({ ...deps, db: pool })(never)

beforeEach(async () => {
  await sql`delete from accounts`.execute(db)
  await sql`delete from exports`.execute(db)
  await sql`delete from export_chunks`.execute(db)
  await db
    .insertInto('accounts')
    .values({ account: 'a', shard: shardOf('a'), name: 'a' })
    .execute()
})

async function insert(changes: Partial<Insertable<Exports>> = {}): Promise<string> {
  const exportId = `exp_${randomBytes(12).toString('hex')}`
  await sql`select ensure_export_partition()`.execute(db)
  await db
    .insertInto('exports')
    .values({
      exportId,
      account: 'a',
      shard: shardOf('a'),
      day: sql<Date>`(now() at time zone 'UTC')::date`,
      folders: [],
      startDate: new Date(0),
      endDate: new Date(),
      textType: '*',
      maxBytes: '0',
      includeAttachments: false,
      sealed: 'sealed',
      expiresAt: sql<Date>`now() + interval '1 hour'`,
      ...changes,
    })
    .execute()
  return exportId
}

/** Inserts a completed export with a file of some chunks, and changes its row. */
async function insertFile(changes: Partial<Insertable<Exports>> = {}, chunks = 3): Promise<string> {
  const exportId = await insert()
  const parts = Array.from({ length: chunks }, () => randomBytes(100))
  await writeExport(db, { exportId, parts })
  if (Object.keys(changes).length > 0)
    await db.updateTable('exports').set(changes).where('exportId', '=', exportId).execute()
  return exportId
}

/** Chunks and stored bytes by export that has a row or chunks. */
async function stored(): Promise<Record<string, { chunks: number; hasBytes: boolean | null }>> {
  const { rows } = await sql<{ id: string; chunks: number; hasBytes: boolean | null }>`
    select coalesce(e.export_id, c.export_id) as id, coalesce(c.count, 0)::int as chunks,
      e.stored_bytes > 0 as "hasBytes"
    from exports e full join (select export_id, count(*) from export_chunks group by 1) c
      on c.export_id = e.export_id`.execute(db)
  return Object.fromEntries(rows.map(({ id, ...row }) => [id, row]))
}

const past = new Date(Date.now() - 1000)

test('removeExports: keeps unfinished and completed exports', async () => {
  const waiting = await insert()
  const done = await insertFile()
  await remove()
  expect(await stored()).toEqual({
    [waiting]: { chunks: 0, hasBytes: false },
    [done]: { chunks: 3, hasBytes: true },
  })
})

test('removeExports: expired and deleted exports, removes chunks and rows', async () => {
  await insertFile({ expiresAt: past })
  await insertFile({ account: null }, 70)
  await insertFile({ status: 'failed', expiresAt: past })
  await insert({ account: null })
  await remove()
  expect(await stored()).toEqual({})
})

test('removeExports: cancelled and failed exports, removes chunks and keeps rows until expiry', async () => {
  const cancelled = await insertFile({ status: 'cancelled' })
  const failed = await insertFile({ status: 'failed' })
  await remove()
  const empty = { chunks: 0, hasBytes: false }
  expect(await stored()).toEqual({ [cancelled]: empty, [failed]: empty })
})

test('removeExports: deletion of the account, removes its exports in any status', async () => {
  for (const status of ['completed', 'processing', 'cancelled'] as const)
    await insertFile({ status })
  await sql`delete from accounts`.execute(db)
  expect(Object.keys(await stored())).toHaveLength(3)
  await remove()
  expect(await stored()).toEqual({})
})

test('removeExports: in two processes, remove different exports and none is left', async () => {
  for (let n = 0; n < 10; n += 1) await insertFile({ account: null }, 40)
  await Promise.all([remove(worker), remove(other)])
  expect(await stored()).toEqual({})
})

test('removeExportChunks: in two processes, removes the row of an export after its last chunk', async () => {
  const exportId = await insert({ account: null })
  await sql`insert into export_chunks (day, export_id, number, start, size, content)
    select day, ${exportId}, n, n, 1, 'x' from exports, generate_series(1, 3000) as n`.execute(db)
  // With 5,000 rows of exports, the search for an export to remove takes so long that the other
  // process ends a removal meanwhile.
  await copyExport(db, exportId, 5_000)
  const hasRow = () =>
    db.selectFrom('exports').select('day').where('exportId', '=', exportId).executeTakeFirst()
  const removeBy = async (pool: Db) => {
    while (await hasRow()) await pool.transaction().execute(removeExportChunks)
  }
  await Promise.all([removeBy(worker), removeBy(other)])
  expect((await stored())[exportId]).toBeUndefined()
})

test('removeExports: unfinished export without progress, fails once with exportFailed', async () => {
  const counts = { messagesQueued: 7, messagesExported: 3 }
  const running = { status: 'processing', phase: 'exporting', ...counts } as const
  const exportId = await insert({ ...running, expiresAt: past })
  await Promise.all([remove(worker), remove(other)])
  const row = await db
    .selectFrom('exports')
    .select(['status', 'phase', 'error', 'errorCode'])
    .executeTakeFirstOrThrow()
  const error = 'The export made no progress until it expired'
  expect(row).toEqual({ status: 'failed', phase: 'exporting', error, errorCode: 'ExportExpired' })
  const events = await db
    .selectFrom('events')
    .select(['event', 'body', 'account'])
    .where('event', '=', 'exportFailed')
    .execute()
  expect(
    events.map(({ body, ...event }) => ({ ...event, ...(JSON.parse(body) as object) })),
  ).toEqual([
    expect.objectContaining({
      event: 'exportFailed',
      account: 'a',
      data: { exportId, error, errorCode: 'ExportExpired', phase: 'exporting', ...counts },
    }),
  ])
})

test('removeExports: export that progresses after it was listed as expired, continues', async () => {
  const exportId = await insert({ status: 'processing', phase: 'exporting', expiresAt: past })
  const { removal } = await db.transaction().execute(async (tx) => {
    const chunk = { exportId, number: 0, start: 0, size: 1, content: randomBytes(30) }
    await appendExportChunk(tx, { ...chunk, maxAgeMs: 3_600_000 })
    const started = remove()
    await untilWaiting()
    return { removal: started }
  })
  await removal
  const row = await db.selectFrom('exports').select(['status', 'error']).executeTakeFirstOrThrow()
  expect(row).toEqual({ status: 'processing', error: null })
})

/** Waits until a statement of sync-worker waits for a row of an export. */
async function untilWaiting(): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database()
      and usename = 'posthorn_sync_worker' and wait_event_type = 'Lock'`.execute(db)
    return rows.length > 0
  })
}

test('exports: many cancelled exports without chunks, are not read by the periodic statements', async () => {
  await insertFile()
  await insertFile({ status: 'failed' })
  await insertFile({ status: 'completed', expiresAt: past })
  const cancelled = await insert({ status: 'cancelled' })
  await copyExport(db, cancelled, 5_000)
  await worker.transaction().execute(async (tx) => {
    const before = await countRowsRead(tx, 'exports')
    expect(await sumStoredBytes(tx)).toBeGreaterThan(0)
    expect(await listExpiredExports(tx)).toEqual([])
    while (await removeExportChunks(tx));
    expect((await countRowsRead(tx, 'exports')) - before).toBeLessThan(50)
  })
})

test('appendExportChunk: in the role of sync-worker, stores each number once and only while processing', async () => {
  const exportId = await insert({ status: 'processing' })
  const append = (number: number, start: number) =>
    worker.transaction().execute((tx) =>
      appendExportChunk(tx, {
        exportId,
        number,
        start,
        size: 10,
        content: randomBytes(30),
        maxAgeMs: 86_400_000,
      }),
    )
  const first = await Promise.all([append(0, 0), append(0, 0)])
  expect(first.filter(Boolean)).toEqual([true])
  expect([await append(2, 10), await append(1, 9), await append(1, 10)]).toEqual([
    false,
    false,
    true,
  ])
  await db.updateTable('exports').set({ status: 'cancelled' }).execute()
  expect(await append(2, 20)).toBe(false)
  const { bytesWritten, storedBytes, chunks } = await db
    .selectFrom('exports')
    .select(['bytesWritten', 'storedBytes', 'chunks'])
    .executeTakeFirstOrThrow()
  expect({ bytesWritten, storedBytes, chunks }).toEqual({
    bytesWritten: '20',
    storedBytes: '60',
    chunks: 2,
  })
})

test('dropExportPartitions: drops past days without exports', async () => {
  await insert()
  for (const day of ['2026-01-01', '2026-01-02'])
    await sql`create table ${sql.table(`export_chunks_${day.replaceAll('-', '')}`)}
      partition of export_chunks for values in (${sql.lit(day)})`.execute(db)
  await insert({ day: new Date('2026-01-02T12:00:00Z') })
  await dropExportPartitions(worker)
  const { rows } = await sql<{ name: string }>`select inhrelid::regclass::text as name
    from pg_inherits where inhparent = 'export_chunks'::regclass order by 1`.execute(db)
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const created = `export_chunks_${today}`
  expect(rows.map(({ name }) => name)).toEqual(['export_chunks_20260102', created])
  // Postgres stores the encrypted chunks of exports without an attempt to compress them.
  const { rows: columns } = await sql`select attstorage as storage from pg_attribute
    where attrelid = ${created}::regclass and attname = 'content'`.execute(db)
  expect(columns).toEqual([{ storage: 'e' }])
})

test('dropExportPartitions: partition that a reader has locked, is left for the next call', async () => {
  await sql`create table export_chunks_20260103 partition of export_chunks for values in ('2026-01-03')`.execute(
    db,
  )
  await db.transaction().execute(async (tx) => {
    await sql`select from export_chunks_20260103`.execute(tx)
    await dropExportPartitions(worker)
  })
  const exists = async () =>
    (
      await sql<{
        name: string | null
      }>`select to_regclass('export_chunks_20260103') as name`.execute(db)
    ).rows[0]?.name
  expect(await exists()).toBe('export_chunks_20260103')
  await dropExportPartitions(worker)
  expect(await exists()).toBeNull()
})
