import { expect, test } from '@jest/globals'
import type { PostgresPoolClient } from 'kysely'
import { DatabaseError, type Pool } from 'pg'
import { boundedPool } from './bounded-pool.ts'

interface Asked {
  name?: string
}

/** A pool of one connection that answers as told, and notes what it was asked. */
async function clientOf(answer: (asked: Asked) => unknown) {
  const asked: Asked[] = []
  const released: unknown[] = []
  const client = {
    query: async (given: string | Asked) => {
      const query = typeof given === 'string' ? {} : given
      asked.push(query)
      return answer(query)
    },
    release: (destroy: unknown) => released.push(destroy),
  }
  const pool = { options: {}, connect: async () => client } as unknown as Pool
  const bounded: PostgresPoolClient = await boundedPool(pool).connect()
  const query = (text: string, values: readonly unknown[]) =>
    bounded.query(text, values) as Promise<unknown>
  return { asked, released, query, release: () => bounded.release() }
}

const stale = Object.assign(
  new DatabaseError('cached plan must not change result type', 0, 'error'),
  {
    code: '0A000',
  },
)

test('a statement with parameters has the same name each time', async () => {
  const { asked, query } = await clientOf(() => 'rows')
  for (const text of ['select $1', 'select $1', 'select $1, 2']) await query(text, [1])
  await query('commit', [])
  const names = asked.map(({ name }) => name)
  expect(names[0]).toMatch(/^.{43}$/) // Postgres cuts names at 63 bytes
  expect(names[1]).toBe(names[0])
  expect(names[2]).not.toBe(names[0])
  expect(names[3]).toBeUndefined()
})

test('only so many texts get names', async () => {
  const { asked, query } = await clientOf(() => 'rows')
  for (let n = 0; n < 300; n += 1) await query(`select $1, ${n}`, [1])
  expect(new Set(asked.flatMap(({ name }) => name ?? [])).size).toBe(200)
})

test('a plan that a migration made stale is done without, and its connection given up', async () => {
  const { query, release, released } = await clientOf(({ name }) =>
    name === undefined ? 'rows' : Promise.reject(stale),
  )
  expect(await query('select $1', [1])).toBe('rows')
  release()
  expect(released).toEqual([true])
})
