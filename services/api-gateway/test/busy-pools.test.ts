import { afterAll, expect, test } from '@jest/globals'
import { statementTimeoutMs } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { cuttable } from './cuttable.ts'
import { registration, testServers } from './gateway.ts'

const servers = await testServers()
const postgres = await cuttable(servers.env.DATABASE_URL)
// api-gateway gets two Postgres connections: one for API requests, and one that stores messages.
const { call, url } = await servers.start({
  DATABASE_URL: postgres.url,
  SVC_DATABASE_POOL_SIZE: '2',
})
afterAll(async () => {
  await servers.stop()
  postgres.close()
})

const get = async (path: string) => {
  const response = await fetch(url + path)
  return { status: response.status, text: await response.text() }
}
const submit = () =>
  call('POST', '/v1/account/a/submit', { body: { to: [{ address: 'b@mail.example' }], text: 'x' } })

/** Counts the SQL statements of the test's database that wait for a lock. */
async function waitingStatements(): Promise<number> {
  const { rows } = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(servers.db)
  return rows.length
}

/** Time after which an SQL statement of api-gateway times out, as the timeout of `eventually`. */
const statement = { timeoutMs: statementTimeoutMs('api-gateway') }

/**
 * Starts API requests that occupy all Postgres connections of both pools, until `release` is called
 * or the requests time out.
 */
async function occupyPools() {
  const lock = await servers.db.startTransaction().execute()
  await sql`lock table outbox in access exclusive mode`.execute(lock)
  const requests = [submit()]
  try {
    await eventually(async () => expect(await waitingStatements()).toBe(1), statement)
    // One API request executes its statement, and two requests wait for its Postgres connection.
    requests.push(...[1, 2, 3].map(() => call('GET', '/v1/outbox')))
    await eventually(async () => expect(await waitingStatements()).toBe(2), statement)
  } catch (error) {
    await lock.rollback().execute()
    throw error
  }
  const release = async () => {
    await lock.rollback().execute()
    return Promise.all(requests)
  }
  return { release }
}

test('with all connections of both pools in use, health and metrics respond', async () => {
  await call('POST', '/v1/account', {
    body: { ...registration('a'), imap: false, email: 'a@mail.example' },
  })
  expect((await submit()).status).toBe(200) // fills the caches that a submission reads
  const paths = ['/health/live', '/health/ready', '/metrics']
  // The replies of the health checks count only if the SQL statements still wait afterwards. On a
  // busy machine, the statements may end before the replies.
  const [live, ready, metrics] = await eventually(async () => {
    const { release } = await occupyPools()
    try {
      const replies = []
      for (const path of paths) replies.push(await get(path))
      expect(await waitingStatements()).toBe(2)
      return replies
    } finally {
      await release()
    }
  })
  expect(live?.status).toBe(200)
  expect(ready?.status).toBe(200)
  expect(metrics?.status).toBe(200)
  const valueOf = (name: string, labels: string) =>
    metrics?.text.match(
      new RegExp(`^posthorn_${name}\\{${labels},service="api-gateway"\\} (.*)$`, 'm'),
    )?.[1]
  for (const pool of ['main', 'outbox']) {
    expect(valueOf('database_pool_connections', `pool="${pool}",state="active"`)).toBe('1')
    expect(valueOf('database_pool_size', `pool="${pool}"`)).toBe('1')
  }
  expect(Number(valueOf('database_pool_waiting', 'pool="main"'))).toBeGreaterThan(0)

  await eventually(async () => expect((await submit()).status).toBe(200))
  expect((await get('/metrics')).text).toMatch(
    /^posthorn_database_pool_wait_seconds_count\{service="api-gateway",pool="main"\} [1-9]/m,
  )
})

test('with an unresponsive Postgres, health and metrics respond and the service is not ready', async () => {
  postgres.silence(true)
  const requests = [call('GET', '/v1/outbox'), submit()]
  expect((await get('/health/live')).status).toBe(200)
  expect((await get('/metrics')).status).toBe(200)
  await eventually(async () => expect((await get('/health/ready')).status).toBe(503))
  await Promise.all(requests)
  postgres.silence(false)
  await eventually(async () => expect((await get('/health/ready')).status).toBe(200))
})
