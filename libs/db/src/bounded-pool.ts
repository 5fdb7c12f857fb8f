import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

/** Texts that get a name. What is made anew for each length of a list may be any number, and the server keeps each of them. */
const maxNames = 200
/** `cached plan must not change result type`: nothing was done. */
const planIsStale = '0A000'

/**
 * The pool as Kysely uses it, without connections whose query got no answer in time: such a one still waits for it, and whoever took
 * it next would wait as well, long after the server is back.
 *
 * Statements have names: a connection parses and plans each of them once and not every time.
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
      if (!(error instanceof DatabaseError) || error.code !== planIsStale) throw error
      // The schema changed under the plan. A new connection makes a new one; a transaction this ends with is lost all the same.
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
  const known = names.get(text)
  if (known !== undefined || names.size >= maxNames) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}
