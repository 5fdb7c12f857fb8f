import { expect, test } from '@jest/globals'
import { DatabaseError, type Pool } from 'pg'
import { BoundedPool } from './bounded-pool.ts'
import { OutageDetector } from './outage-detector.ts'

interface Query {
  text: string
  name?: string
}

/** Fake pool of one Postgres connection with scripted responses. Records the queries. */
function scriptedPool({ roleTimeoutMs = 1_000, max = 1, pipeline = false } = {}) {
  const queries: Query[] = []
  const released: unknown[] = []
  const script = {
    reply: (_query: Query): unknown => ({ rows: [] }),
    connect: async (): Promise<void> => undefined,
    now: 0,
    probes: 0,
    probe: async (): Promise<void> => undefined,
  }
  const client = {
    pipeline,
    query: async (input: string | Query) => {
      const query = typeof input === 'string' ? { text: input } : input
      if (query.text.includes("current_setting('statement_timeout')"))
        return { rows: [{ ms: roleTimeoutMs }] }
      queries.push(query)
      return script.reply(query)
    },
    release(destroy: unknown) {
      released.push(destroy)
      pool.idleCount += 1
    },
  }
  const pool = {
    options: { max },
    totalCount: 0,
    idleCount: 0,
    waitingCount: 0,
    async connect() {
      await script.connect()
      if (pool.idleCount > 0) pool.idleCount -= 1
      else pool.totalCount += 1
      return client
    },
  }
  const clock = () => script.now
  const probe = () => {
    script.probes += 1
    return script.probe()
  }
  const limits = { maxSilenceMs: 60_000, maxProbeMs: 60_000 }
  const outages = new OutageDetector({ ...limits, probe, clock })
  const bounded = new BoundedPool(pool as unknown as Pool, { timeoutMs: 1_000, outages, clock })
  return { bounded, queries, released, script }
}

/** Runs SQL statements on one connection of the fake pool. */
async function connection(bounded: BoundedPool) {
  const client = await bounded.connect()
  const query = (text: string, values: readonly unknown[] = []): Promise<unknown> =>
    client.query(text, values) as Promise<unknown>
  return { query, release: () => client.release() }
}

const texts = (queries: readonly Query[]) => queries.map(({ text }) => text)
const limits =
  'set local statement_timeout = 1000; set local idle_in_transaction_session_timeout = 60000'
const stale = Object.assign(
  new DatabaseError('cached plan must not change result type', 0, 'error'),
  { code: '0A000' },
)

test('BoundedPool: a transaction sets its timeouts in the message that begins it', async () => {
  const { bounded, queries } = scriptedPool()
  const { query } = await connection(bounded)
  for (const text of ['begin', 'select 1', 'commit', 'start transaction read only', 'rollback'])
    await query(text)
  expect(texts(queries)).toEqual([
    `begin; ${limits}`,
    'select 1',
    'commit',
    `start transaction read only; ${limits}`,
    'rollback',
  ])
})

test('BoundedPool: with the timeout of the role, sends a single statement alone', async () => {
  const { bounded, queries } = scriptedPool()
  const { query } = await connection(bounded)
  await query('select 1')
  expect(texts(queries)).toEqual(['select 1'])
})

test.each([0, 30_000])(
  'BoundedPool: with a role timeout of %i ms, a single statement gets a transaction',
  async (roleTimeoutMs) => {
    const { bounded, queries, script } = scriptedPool({ roleTimeoutMs })
    const { query } = await connection(bounded)
    await query('select 1')
    script.reply = ({ text }) => (text === 'select 2' ? Promise.reject(new Error('no')) : {})
    await expect(query('select 2')).rejects.toThrow('no')
    expect(texts(queries)).toEqual([
      `begin; ${limits}`,
      'select 1',
      'commit',
      `begin; ${limits}`,
      'select 2',
      'rollback',
    ])
  },
)

test('BoundedPool: pipelined, sends the transaction around a statement without waiting', async () => {
  const { bounded, queries, script } = scriptedPool({ roleTimeoutMs: 0, pipeline: true })
  const { query } = await connection(bounded)
  const replies = Promise.withResolvers<object>()
  script.reply = () => replies.promise
  const result = query('select $1', [1])
  expect(texts(queries)).toEqual([`begin; ${limits}`, 'select $1', 'commit'])
  replies.resolve({ rows: [1] })
  expect(await result).toEqual({ rows: [1] })
  script.reply = ({ text }) => (text === 'select 2' ? Promise.reject(new Error('no')) : {})
  await expect(query('select 2')).rejects.toThrow('no')
})

test('BoundedPool: names a statement with parameters by its text', async () => {
  const { bounded, queries } = scriptedPool()
  const { query } = await connection(bounded)
  for (const text of ['select $1', 'select $1', 'select $1, 2']) await query(text, [1])
  await query('select 1')
  const names = queries.map(({ name }) => name)
  expect(names[0]).toMatch(/^.{43}$/) // Postgres cuts names of statements at 63 bytes.
  expect(names[1]).toBe(names[0])
  expect(names[2]).not.toBe(names[0])
  expect(names[3]).toBeUndefined()
})

test('BoundedPool: names at most 200 statements', async () => {
  const { bounded, queries } = scriptedPool()
  const { query } = await connection(bounded)
  for (let n = 0; n < 300; n += 1) await query(`select $1, ${n}`, [1])
  expect(new Set(queries.flatMap(({ name }) => name ?? [])).size).toBe(200)
})

test('BoundedPool: after a stale plan, sends the statement without a name', async () => {
  const { bounded, queries, script } = scriptedPool()
  const { query } = await connection(bounded)
  script.reply = ({ name }) => (name === undefined ? 'rows' : Promise.reject(stale))
  expect(await query('select $1', [1])).toBe('rows')
  expect(await query('select $1', [1])).toBe('rows')
  expect(queries.map(({ name }) => name !== undefined)).toEqual([true, false, false])
  await query('begin')
  await expect(query('select $1, 2', [1])).rejects.toBe(stale)
})

test('BoundedPool: discards a connection whose query timed out', async () => {
  const { bounded, released, script } = scriptedPool({ roleTimeoutMs: 0 })
  const { query, release } = await connection(bounded)
  script.reply = ({ text }) =>
    text === 'select 1' ? Promise.reject(new Error('Query read timeout')) : {}
  await expect(query('select 1')).rejects.toThrow('Query read timeout')
  release()
  expect(released).toEqual([true])
})

test('BoundedPool: ping queries Postgres while a connection is free', async () => {
  const { bounded, queries, script } = scriptedPool()
  await Promise.all([bounded.ping(), bounded.ping()])
  expect(texts(queries)).toEqual(['select 1'])
  script.reply = () => Promise.reject(new Error('terminated'))
  await expect(bounded.ping()).rejects.toThrow('terminated')
})

test('BoundedPool: with all connections in use, ping needs a recent response or a probe', async () => {
  const { bounded, queries, script } = scriptedPool()
  const { query } = await connection(bounded)
  await query('select 2')
  script.now += 1_000
  await bounded.ping()
  expect(script.probes).toBe(0)
  script.now += 1
  await Promise.all([bounded.ping(), bounded.ping()])
  expect(script.probes).toBe(1)
  // A ping counts an error of Postgres as a recent response as well.
  script.now += 1_001
  script.reply = () => Promise.reject(stale)
  await expect(query('select 3')).rejects.toBe(stale)
  await bounded.ping()
  script.now += 1_001
  script.probe = () => Promise.reject(new Error('refused'))
  await expect(bounded.ping()).rejects.toThrow('Postgres does not respond')
  expect(bounded.isResponsive).toBe(false)
  expect(texts(queries)).not.toContain('select 1')
})

test('BoundedPool: from a failed connection to the next response, is not responsive', async () => {
  const { bounded, script } = scriptedPool()
  script.connect = () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))
  await expect(bounded.connect()).rejects.toThrow('Postgres is unavailable: x')
  expect(bounded.isResponsive).toBe(false)
  script.connect = async () => undefined
  const { query } = await connection(bounded)
  expect(bounded.isResponsive).toBe(false)
  await query('select 1')
  expect(bounded.isResponsive).toBe(true)
  // pgbouncer without a connection to Postgres accepts connections.
  const unserved = Object.assign(new DatabaseError('x', 0, 'error'), { code: '08P01' })
  script.reply = () => Promise.reject(unserved)
  await expect(query('select 1')).rejects.toThrow('Postgres is unavailable: x')
  expect(bounded.isResponsive).toBe(false)
  script.reply = () => Promise.reject(stale)
  await expect(query('select 1')).rejects.toBe(stale)
  expect(bounded.isResponsive).toBe(true)
})

test('BoundedPool: reports its use', async () => {
  const { bounded } = scriptedPool({ max: 3 })
  const { release } = await connection(bounded)
  expect(bounded.use).toEqual({ active: 1, idle: 0, waiting: 0, max: 3 })
  release()
  expect(bounded.use).toEqual({ active: 0, idle: 1, waiting: 0, max: 3 })
})
