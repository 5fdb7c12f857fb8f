import { afterAll, expect, test } from '@jest/globals'
import type { TranscriptLine } from '@posthorn/backends'
import { shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { eventually, testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { startTranscripts, logRetention } from '../src/logs/transcripts.ts'
import { deleteUnwantedLogs } from '../src/store/logs.ts'

const database = await testDatabase()
const { db } = database
const own = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
const log = createLogger('test', 'silent')
afterAll(async () => {
  await own.destroy()
  await database.drop()
})
const add = (account: string, logs = true) =>
  db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, logs })
    .execute()
for (const account of ['a', 'b', 'c']) await add(account)

const linesOf = async (account: string) =>
  (
    await db
      .selectFrom('accountLogs')
      .select('line')
      .where('account', '=', account)
      .orderBy('id')
      .execute()
  ).map(({ line }) => line.replace(/^\S+ \[\d+\] /, ''))
const keep =
  (maxLines: number, all = false) =>
  async () => ({ all, maxLines })
const says = (text: string): TranscriptLine => ({ at: new Date(), from: 'server', text })

test('startTranscripts: stores lines per account in order, with their connection', async () => {
  await using transcripts = startTranscripts({ db: own, log, retention: keep(1_000) })
  const [first, second, other] = ['a', 'a', 'b'].map((account) =>
    transcripts.forConnection(account),
  )
  for (let n = 0; n < 5; n++) {
    first?.(says(`one ${n}`))
    other?.(says(`b ${n}`))
    second?.({ at: new Date(0), from: 'client', text: `two ${n}` })
  }
  await eventually(async () =>
    expect(await linesOf('a')).toEqual(
      [0, 1, 2, 3, 4].flatMap((n) => [`S: one ${n}`, `C: two ${n}`]),
    ),
  )
  await eventually(async () =>
    expect(await linesOf('b')).toEqual([0, 1, 2, 3, 4].map((n) => `S: b ${n}`)),
  )
  const { rows } = await sql<{ line: string }>`
    select line from account_logs where line like '%two 0'
  `.execute(db)
  expect(rows[0]?.line).toBe('1970-01-01T00:00:00.000Z [2] C: two 0')
})

test('startTranscripts: disposal stores buffered lines', async () => {
  const transcripts = startTranscripts({ db: own, log, retention: keep(1_000) })
  transcripts.forConnection('c')(says('the last word'))
  await transcripts[Symbol.asyncDispose]()
  expect(await linesOf('c')).toEqual(['S: the last word'])
})

test('startTranscripts: retains the last lines of a long log', async () => {
  const transcripts = startTranscripts({ db: own, log, retention: keep(100) })
  const line = transcripts.forConnection('b')
  for (let n = 0; n < 1_500; n++) line(says(String(n)))
  await transcripts[Symbol.asyncDispose]()
  const lines = await linesOf('b')
  expect(lines.at(-1)).toBe('S: 1499')
  expect(lines.length).toBeGreaterThanOrEqual(100)
  expect(lines.length).toBeLessThanOrEqual(110)
})

test('startTranscripts: while Postgres is blocked, buffers, then drops and counts lines', async () => {
  await db.deleteFrom('accountLogs').execute()
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const locked = db.transaction().execute(async (tx) => {
    await sql`lock table account_logs in access exclusive mode`.execute(tx)
    begun.resolve()
    await release.promise
  })
  await begun.promise
  const transcripts = startTranscripts({ db: own, log, retention: keep(1_000_000) })
  const line = transcripts.forConnection('a')
  // The function that adds a line to a protocol log returns nothing, so no caller can wait for
  // Postgres.
  for (let n = 0; n < 10_000; n++) expect(line(says(String(n)))).toBeUndefined()
  release.resolve()
  await locked
  await transcripts[Symbol.asyncDispose]()
  const lines = await linesOf('a')
  expect(lines.slice(0, 2_000)).toEqual(Array.from({ length: 2_000 }, (_, n) => `S: ${n}`))
  expect(lines.slice(2_000)).toEqual([expect.stringMatching(/^8000 lines were dropped/)])
})

test('startTranscripts: deleted accounts and disabled logs do not affect others', async () => {
  await db.deleteFrom('accountLogs').execute()
  await add('off', false)
  await using transcripts = startTranscripts({ db: own, log, retention: keep(1_000) })
  for (const account of ['gone', 'off', 'a']) transcripts.forConnection(account)(says(account))
  await eventually(async () => expect(await linesOf('a')).toEqual(['S: a']))
  expect(await db.selectFrom('accountLogs').select('account').execute()).toEqual([{ account: 'a' }])
})

test('deleteUnwantedLogs: deletes lines of a disabled log', async () => {
  await sql`insert into account_logs (account, line) values ('off', 'late')`.execute(db)
  await deleteUnwantedLogs(own)
  expect(await db.selectFrom('accountLogs').select('account').execute()).toEqual([{ account: 'a' }])
})

test('startTranscripts: all, logs accounts without logs up to maxLines', async () => {
  await db.deleteFrom('accountLogs').execute()
  const transcripts = startTranscripts({ db: own, log, retention: keep(10, true) })
  const line = transcripts.forConnection('off')
  for (let n = 0; n < 50; n++) line(says(String(n)))
  await transcripts[Symbol.asyncDispose]()
  const lines = await linesOf('off')
  expect([lines.length, lines.at(-1)]).toEqual([10, 'S: 49'])
})

test('logRetention: the setting takes precedence over the default', () => {
  expect(logRetention({}, 5)).toEqual({ all: false, maxLines: 5 })
  expect(logRetention({ logs: { all: true } }, 5)).toEqual({ all: true, maxLines: 5 })
  expect(logRetention({ logs: { maxLogLines: 0 } }, 5)).toEqual({ all: false, maxLines: 0 })
})
