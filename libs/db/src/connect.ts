import { CamelCasePlugin, Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import { Pool } from 'pg'
import { boundedPool } from './bounded-pool.ts'
import type { Tables } from './tables/index.ts'

export type Db = Kysely<Tables>
/** Transaction. Functions that require one take this type instead of Db. */
export type Tx = Transaction<Tables>

interface ConnectOptions {
  /** Shown in pg_stat_activity. */
  name: string
  /** Maximum connections; defaults to 10. */
  max?: number
  /** Maximum duration of a statement; defaults to 30 s. The client waits up to 5 s longer. */
  timeoutMs?: number
  /** Called when a connection is lost. The pool replaces it. */
  onError?: (error: Error) => void
}

/**
 * Creates a connection pool. The first query connects.
 *
 * Every wait is bounded: 5 s for a connection, `timeoutMs` for a statement.
 */
export function connect(url: string, options: ConnectOptions): Db {
  const { name, max = 10, timeoutMs = 30_000, onError } = options
  const pool = new Pool({
    connectionString: url,
    application_name: name,
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + Math.min(timeoutMs / 2, 5_000),
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  })
  // An error event without a listener ends the process. The pool listens on idle connections only.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', (error) => onError?.(error)))
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: boundedPool(pool) }),
    // Keys inside JSON values are not column names and stay unchanged.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
}

/** Throws unless Postgres responds. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}
