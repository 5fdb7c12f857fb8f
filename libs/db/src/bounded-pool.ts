import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

/**
 * Maximum named statements. Texts that vary with list lengths would grow Postgres memory forever.
 */
const maxNames = 200
/** SQLSTATE of `cached plan must not change result type`; the statement had no effect. */
const stalePlan = '0A000'

/**
 * Adapts a pool to Kysely and discards connections whose query timed out: such a connection still
 * waits for the response, so the next query on it would time out too.
 *
 * Statements with parameters are named, so that each connection parses and plans them once.
 */
export function boundedPool(pool: Pool): PostgresPool {
  const names = new Map<string, string>()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => boundedClient(await pool.connect(), names),
  }
}

function boundedClient(client: PoolClient, names: Map<string, string>): PostgresPoolClient {
  let stuck = false
  const run = async (text: string, values: unknown[]) => {
    const name = values.length > 0 ? nameOf(text, names) : undefined
    if (name === undefined) return await client.query(text, values)
    try {
      return await client.query({ text, values, name })
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== stalePlan) throw error
      // The schema has changed. Retry unnamed and discard the connection; a transaction is lost.
      stuck = true
      return await client.query(text, values).catch(() => Promise.reject(error))
    }
  }
  const query = async (text: string, values: unknown[]) => {
    try {
      return await run(text, values)
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

function nameOf(text: string, names: Map<string, string>): string | undefined {
  const cached = names.get(text)
  if (cached !== undefined || names.size >= maxNames) return cached
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}
