import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'

/**
 * The pool as Kysely uses it, without connections whose query got no answer in time: such a one still waits for it, and whoever took
 * it next would wait as well, long after the server is back.
 */
export function boundedPool(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => boundedClient(await pool.connect()),
  }
}

function boundedClient(client: PoolClient): PostgresPoolClient {
  let stuck = false
  const query = async (text: string, values: unknown[]) => {
    try {
      return await client.query(text, values)
    } catch (error) {
      // node-postgres gives this error no code.
      if (error instanceof Error && error.message === 'Query read timeout') stuck = true
      throw error
    }
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || stuck),
  }
}
