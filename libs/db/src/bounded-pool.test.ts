import { expect, test } from '@jest/globals'
import type { PostgresPoolClient } from 'kysely'
import { DatabaseError, type Pool } from 'pg'
import { boundedPool } from './bounded-pool.ts'

interface NamedQuery {
  name?: string
}

/** Pool of one connection with scripted responses. Records the queries. */
async function clientOf(answer: (queries: NamedQuery) => unknown) {
  const queries: NamedQuery[] = []
  const released: unknown[] = []
  const client = {
    query: async (input: string | NamedQuery) => {
      const query = typeof input === 'string' ? {} : input
      queries.push(query)
      return answer(query)
    },
    release: (destroy: unknown) => released.push(destroy),
  }
  const pool = { options: {}, connect: async () => client } as unknown as Pool
  const bounded: PostgresPoolClient = await boundedPool(pool).connect()
  const query = (text: string, values: readonly unknown[]) =>
    bounded.query(text, values) as Promise<unknown>
  return { queries, released, query, release: () => bounded.release() }
}

const stale = Object.assign(
  new DatabaseError('cached plan must not change result type', 0, 'error'),
  {
    code: '0A000',
  },
)

test('boundedPool: names a statement with parameters by its text', async () => {
  const { queries, query } = await clientOf(() => 'rows')
  for (const text of ['select $1', 'select $1', 'select $1, 2']) await query(text, [1])
  await query('commit', [])
  const names = queries.map(({ name }) => name)
  expect(names[0]).toMatch(/^.{43}$/) // Postgres cuts names at 63 bytes
  expect(names[1]).toBe(names[0])
  expect(names[2]).not.toBe(names[0])
  expect(names[3]).toBeUndefined()
})

test('boundedPool: names at most 200 statements', async () => {
  const { queries, query } = await clientOf(() => 'rows')
  for (let n = 0; n < 300; n += 1) await query(`select $1, ${n}`, [1])
  expect(new Set(queries.flatMap(({ name }) => name ?? [])).size).toBe(200)
})

test('boundedPool: with a stale plan, retries unnamed and discards the connection', async () => {
  const { query, release, released } = await clientOf(({ name }) =>
    name === undefined ? 'rows' : Promise.reject(stale),
  )
  expect(await query('select $1', [1])).toBe('rows')
  release()
  expect(released).toEqual([true])
})
