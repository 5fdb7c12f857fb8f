import { afterAll, expect, test } from '@jest/globals'
import type { TranscriptLine } from '@posthorn/backends'
import { shardOf } from '@posthorn/contracts'
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

test('lines are stored in order, by account, with the connection they came over', async () => {
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

test('what waits is stored when the service stops', async () => {
  const transcripts = startTranscripts({ db: own, log, retention: keep(1_000) })
  transcripts.forConnection('c')(says('the last word'))
  await transcripts[Symbol.asyncDispose]()
  expect(await linesOf('c')).toEqual(['S: the last word'])
})

test('of a long log the last lines are kept', async () => {
  const transcripts = startTranscripts({ db: own, log, retention: keep(100) })
  const line = transcripts.forConnection('b')
  for (let n = 0; n < 1_500; n++) line(says(String(n)))
  await transcripts[Symbol.asyncDispose]()
  const kept = await linesOf('b')
  expect(kept.at(-1)).toBe('S: 1499')
  expect(kept.length).toBeGreaterThanOrEqual(100)
  expect(kept.length).toBeLessThanOrEqual(110)
})

test('while Postgres is slow lines wait, then are dropped and counted; nobody else waits', async () => {
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
  // It gives back nothing that could be waited for.
  for (let n = 0; n < 10_000; n++) expect(line(says(String(n)))).toBeUndefined()
  release.resolve()
  await locked
  await transcripts[Symbol.asyncDispose]()
  const kept = await linesOf('a')
  expect(kept.slice(0, 2_000)).toEqual(Array.from({ length: 2_000 }, (_, n) => `S: ${n}`))
  expect(kept.slice(2_000)).toEqual([expect.stringMatching(/^8000 lines were dropped/)])
})

test('an account that is gone, or has its log switched off, keeps no other from being logged', async () => {
  await db.deleteFrom('accountLogs').execute()
  await add('off', false)
  await using transcripts = startTranscripts({ db: own, log, retention: keep(1_000) })
  for (const account of ['gone', 'off', 'a']) transcripts.forConnection(account)(says(account))
  await eventually(async () => expect(await linesOf('a')).toEqual(['S: a']))
  expect(await db.selectFrom('accountLogs').select('account').execute()).toEqual([{ account: 'a' }])
})

test('lines that came late for a log that is off are swept', async () => {
  await sql`insert into account_logs (account, line) values ('off', 'late')`.execute(db)
  await deleteUnwantedLogs(own)
  expect(await db.selectFrom('accountLogs').select('account').execute()).toEqual([{ account: 'a' }])
})

test('where all are to be logged, accounts that did not ask are as well, and no more lines than wanted', async () => {
  await db.deleteFrom('accountLogs').execute()
  const transcripts = startTranscripts({ db: own, log, retention: keep(10, true) })
  const line = transcripts.forConnection('off')
  for (let n = 0; n < 50; n++) line(says(String(n)))
  await transcripts[Symbol.asyncDispose]()
  const kept = await linesOf('off')
  expect([kept.length, kept.at(-1)]).toEqual([10, 'S: 49'])
})

test('the setting says what is wanted, and the environment where it does not', () => {
  expect(logRetention({}, 5)).toEqual({ all: false, maxLines: 5 })
  expect(logRetention({ logs: { all: true } }, 5)).toEqual({ all: true, maxLines: 5 })
  expect(logRetention({ logs: { maxLogLines: 0 } }, 5)).toEqual({ all: false, maxLines: 0 })
})
