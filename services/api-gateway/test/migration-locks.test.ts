import { afterAll, describe, expect, test } from '@jest/globals'
import { eventually, isSwitchedOff, testPgbouncer } from '@posthorn/testkit'
import { sql } from 'kysely'
import { type Call, registration, testServers } from './gateway.ts'

// Requests while a migration waits for a lock behind a transaction that reads the same table.
const servers = await testServers()
const { db, env } = servers
const pgbouncer = isSwitchedOff('TEST_PGBOUNCER') ? undefined : await testPgbouncer()
const direct = await servers.start()
const pooled =
  pgbouncer && (await servers.start({ DATABASE_URL: pgbouncer.through(env.DATABASE_URL) }))
afterAll(async () => {
  await servers.stop()
  await pgbouncer?.drop()
})
const sendOnly = { ...registration('a'), imap: false, email: 'a@mail.example' }
await direct.call('POST', '/v1/account', { body: sendOnly })

/** Sends API requests that read the locked table concurrently. Returns their statuses. */
async function sendRequests(call: Call): Promise<number[]> {
  const submission = { to: [{ address: 'b@mail.example' }], text: 'x' }
  const responses = await Promise.all([
    call('GET', '/v1/account/a'),
    call('GET', '/v1/accounts'),
    call('GET', '/v1/outbox'),
    call('PUT', '/v1/account/a', { body: { name: 'Name' } }),
    call('POST', '/v1/account/a/submit', { body: submission }),
    call('GET', '/v1/account/a'),
  ])
  return responses.map(({ status }) => status)
}

/** Statement of a migration, with a lock timeout as `migrate` sets it. */
const alterAccounts = (lockTimeout: string) =>
  db.transaction().execute(async (tx) => {
    await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(tx)
    await sql`alter table accounts add column if not exists added_by_test text`.execute(tx)
  })

/**
 * Resolves with true when a migration waits for a table lock. Resolves with false if the
 * migration's attempt has already ended: on a busy machine, the lock timeout may end an attempt
 * between two queries.
 */
async function migrationWaits(attempt: Promise<void>): Promise<boolean> {
  let isOver = false
  const end = () => void (isOver = true)
  attempt.then(end, end)
  const { waits } = await eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like 'alter table%'`.execute(db)
    return rows.length === 1 || isOver ? { waits: rows.length === 1 } : null
  })
  return waits
}

/**
 * Statuses of API requests behind a migration that gets no table lock, and of requests after the
 * migration's attempt. Repeats an attempt that ends before the requests can be sent.
 */
async function requestsDuringAttempt(
  call: Call,
  lockTimeout: string,
): Promise<[during: number[], after: number[]]> {
  const reader = await db.startTransaction().execute()
  try {
    await sql`select from accounts limit 1`.execute(reader)
    const { ended } = await eventually(async () => {
      const ended = alterAccounts(lockTimeout)
      return (await migrationWaits(ended)) ? { ended } : null
    })
    const during = await sendRequests(call)
    await expect(ended).rejects.toThrow('lock timeout')
    return [during, await sendRequests(call)]
  } finally {
    await reader.rollback().execute()
  }
}

const succeeded = Array(6).fill(200)
const testPooled = pooled ? test : test.skip

describe('a migration that waits for a lock', () => {
  test('requests wait for the end of its attempt and succeed', async () => {
    // On a busy machine, a probe of Postgres may take too long. Then requests respond 503.
    await eventually(async () => {
      const statuses = await requestsDuringAttempt(direct.call, '3s')
      expect(statuses).toEqual([succeeded, succeeded])
    })
    await alterAccounts('3s')
    expect(await sendRequests(direct.call)).toEqual(succeeded)
  })

  testPooled('behind pgbouncer, attempts of 1 s are no outage, requests succeed', async () => {
    const { call } = pooled ?? direct
    await eventually(async () => {
      const statuses = await requestsDuringAttempt(call, '1s')
      expect(statuses).toEqual([succeeded, succeeded])
    })
  })

  testPooled('behind pgbouncer, attempts of 3 s: requests respond 503, then succeed', async () => {
    const { call } = pooled ?? direct
    const [during] = await requestsDuringAttempt(call, '3s')
    for (const status of during) expect([200, 503]).toContain(status)
    await eventually(async () => expect(await sendRequests(call)).toEqual(succeeded))
  })
})
