import { afterAll, describe, expect, test } from '@jest/globals'
import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { connect, type PooledDb, statementTimeoutMs } from '@posthorn/db'
import { UnavailableError } from '@posthorn/errors'
import { eventually, isSwitchedOff, testDatabase, testPgbouncer } from '@posthorn/testkit'
import { sql } from 'kysely'

const database = await testDatabase()
const pgbouncer = isSwitchedOff('TEST_PGBOUNCER') ? undefined : await testPgbouncer()
afterAll(async () => {
  await database.drop()
  await pgbouncer?.drop()
})

const canceled = 'canceling statement due to statement timeout'
const sleep = sql`select pg_sleep(60)`
const readTimeouts = sql<{ statement: string; idle: string }>`
  select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`

async function timeoutsOf(db: Parameters<typeof readTimeouts.execute>[0]) {
  const { rows } = await readTimeouts.execute(db)
  return rows[0]
}

type Way = [name: string, through: (url: string) => string]
const direct: Way = ['Postgres', (url) => url]
const ways: Way[] = pgbouncer ? [direct, ['pgbouncer', pgbouncer.through]] : [direct]

describe.each(ways)('connect: to %s', (_way, through) => {
  const open = (url: string, timeoutMs = 30_000, options: object = {}): PooledDb =>
    connect(through(url), { name: 'test', max: 2, timeoutMs, ...options })

  test.each(serviceNames)('as the role of %s, has the timeouts of the role', async (service) => {
    const timeoutMs = statementTimeoutMs(service)
    await using db = open(database.roleUrl(roleOf(service)), timeoutMs)
    const timeouts = { statement: `${timeoutMs / 1000}s`, idle: '1min' }
    expect(await timeoutsOf(db)).toEqual(timeouts)
    expect(await db.transaction().execute(timeoutsOf)).toEqual(timeouts)
    // Timeouts of the Postgres session without `set local`.
    const { rows } = await sql`
      select reset_val from pg_settings
      where name in ('idle_in_transaction_session_timeout', 'statement_timeout') order by name
    `.execute(db)
    expect(rows).toEqual([{ resetVal: '60000' }, { resetVal: String(timeoutMs) }])
  })

  test.each([
    ['a role with another timeout', database.roleUrl('posthorn_sender'), false],
    ['a role with another timeout, pipelined', database.roleUrl('posthorn_sender'), true],
    ['the owner, who has none', database.ownerUrl, false],
  ])('as %s, cancels long statements in Postgres', async (_who, url, isPipelined) => {
    let timeoutMs = 100
    // On a busy machine the statement timeout can pass within any statement; then a longer timeout
    // is tried.
    await eventually(async () => {
      await using db = open(url, (timeoutMs *= 2), { isPipelined })
      await expect(sleep.execute(db)).rejects.toThrow(canceled)
      await expect(db.transaction().execute((tx) => sleep.execute(tx))).rejects.toThrow(canceled)
      await expect(
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute((tx) => sleep.execute(tx)),
      ).rejects.toThrow(canceled)
      // Both the Postgres connection and its transaction have ended in order.
      expect(await timeoutsOf(db)).toMatchObject({ statement: `${timeoutMs}ms` })
    })
    await using other = open(url, statementTimeoutMs('sender'))
    expect(await timeoutsOf(other)).toMatchObject({ statement: '30s' })
  })

  test('with a rejected password, fails as unavailable', async () => {
    const url = Object.assign(new URL(database.roleUrl('posthorn_sender')), { password: 'other' })
    await using db = open(url.href)
    await expect(readTimeouts.execute(db)).rejects.toBeInstanceOf(UnavailableError)
    await expect(db.pool.ping()).rejects.toBeInstanceOf(UnavailableError)
  })

  test('ends a transaction whose client does nothing', async () => {
    await using db = open(database.roleUrl('posthorn_sender'))
    const transaction = await db.startTransaction().execute()
    await sql`select set_config('idle_in_transaction_session_timeout', '50ms', true)`.execute(
      transaction,
    )
    await using owner = open(database.ownerUrl)
    await eventually(async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`.execute(owner)
      expect(rows).toEqual([])
    })
    await expect(sql`select 1`.execute(transaction)).rejects.toThrow()
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined)
    expect(await timeoutsOf(db)).toMatchObject({ statement: '30s' })
  })

  test('prepared statements work on every connection, also after a change of the schema', async () => {
    await using owner = open(database.ownerUrl)
    const table = sql.id(`t_${Math.random().toString(36).slice(2)}`)
    await sql`create table ${table} as select 1 as n`.execute(owner)
    await sql`grant select on ${table} to posthorn_sender`.execute(owner)
    await using first = open(database.roleUrl('posthorn_sender'), 30_000, { max: 5 })
    await using second = open(database.roleUrl('posthorn_sender'), 20_000, {
      max: 5,
      isPipelined: true,
    })
    const read = async () => {
      const queries = [first, second].flatMap((db) =>
        Array.from({ length: 20 }, () =>
          sql<{ n: unknown }>`select n from ${table} where n = ${1}::int`.execute(db),
        ),
      )
      return new Set((await Promise.all(queries)).flatMap(({ rows }) => rows.map(({ n }) => n)))
    }
    expect(await read()).toEqual(new Set([1]))
    await sql`alter table ${table} alter column n type text`.execute(owner)
    await sql`alter table ${table} alter column n type bigint using n::bigint`.execute(owner)
    expect(await read()).toEqual(new Set(['1'])) // Postgres's bigint is read as text.
  })
})
