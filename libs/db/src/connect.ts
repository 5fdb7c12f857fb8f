import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool } from 'pg'
import type { Tables } from './tables/index.ts'

export type Db = Kysely<Tables>
/** A transaction: functions that must run in one take this and not a Db. */
export type Tx = Transaction<Tables>

export interface ConnectOptions {
  /** Shown in pg_stat_activity. */
  name: string
  /** Connections at most; default 10. */
  max?: number
  /** Told of connections that broke while idle; the pool replaces them by itself. */
  onError?: (error: Error) => void
}

/**
 * A pool of connections. Opens nothing yet: the first query does.
 *
 * Every wait is bounded: 5 s for a connection, 30 s for a statement, so that a paused server cannot hang a caller for ever.
 */
export function connect(url: string, { name, max = 10, onError }: ConnectOptions): Db {
  const pool = new Pool({
    connectionString: url,
    application_name: name,
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  })
  // Without a listener a broken idle connection would end the process.
  pool.on('error', (error) => onError?.(error))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
}
