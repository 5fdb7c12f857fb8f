import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool } from 'pg'
import { boundedPool } from './bounded-pool.ts'
import type { Tables } from './tables/index.ts'

export type Db = Kysely<Tables>
/** A transaction: functions that must run in one take this and not a Db. */
export type Tx = Transaction<Tables>

export interface ConnectOptions {
  /** Shown in pg_stat_activity. */
  name: string
  /** Connections at most; default 10. */
  max?: number
  /** How long a statement may take, and its answer a little longer; default 30 s. */
  timeoutMs?: number
  /** Told of connections that broke; the pool replaces them by itself. */
  onError?: (error: Error) => void
}

/**
 * A pool of connections. Opens nothing yet: the first query does.
 *
 * Every wait is bounded: 5 s for a connection, `timeoutMs` for a statement, so that a paused server cannot hang a caller for ever.
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
  // Without listeners a broken connection would end the process. The pool listens to those that are idle and passes it on; while a
  // transaction holds one nobody does but we.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', (error) => onError?.(error)))
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: boundedPool(pool) }),
    // What is inside of JSON is no name of ours: it stays as it was stored.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
}
