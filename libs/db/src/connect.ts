import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Client, type ClientBase, Pool } from 'pg'
import { BoundedPool } from './bounded-pool.ts'
import { OutageDetector } from './outage-detector.ts'
import { probePostgres } from './probe-postgres.ts'
import type { Tables } from './tables/index.ts'

export type Db = Kysely<Tables>
/**
 * Postgres transaction. Functions that must run in a transaction have a parameter of this type
 * instead of Db.
 */
export type Tx = Transaction<Tables>
/** Query builder for a Postgres database, together with its connection pool. */
export type PooledDb = Db & { readonly pool: Pick<BoundedPool, 'use' | 'ping' | 'isResponsive'> }

export interface ConnectOptions {
  /** Name of the Postgres connection pool, shown in pg_stat_activity. */
  name: string
  /** Maximum number of Postgres connections in the pool. Defaults to 10. */
  max?: number
  /** Maximum duration of an SQL statement. Defaults to 30 s. The client waits up to 5 s longer. */
  timeoutMs?: number
  /**
   * If true, an SQL statement is sent together with `begin` and `commit` of its transaction, which
   * saves round trips. Useful for pools whose timeout differs from the timeout of the role.
   */
  isPipelined?: boolean
  /**
   * Factor for all timeouts after which Postgres counts as unresponsive. Defaults to 1. Tests use a
   * larger factor, because the machine that runs them may be busy.
   */
  patience?: number
  /** Called when a Postgres connection is lost. The pool replaces the connection. */
  onError?: (error: Error) => void
  /**
   * Called with the duration of each wait for a free Postgres connection when all connections of
   * the pool are in use.
   */
  onWait?: (ms: number) => void
  /**
   * Called with true when Postgres stops responding, and with false when Postgres responds again.
   */
  onOutage?: (isOutage: boolean) => void
}

/** Maximum time to wait for a connection from the Postgres pool. */
const connectMs = 5_000
/**
 * Maximum duration of the handshake of a new Postgres connection. With this limit, requests that
 * need a new connection fail within 2 s if Postgres does not answer handshakes. A longer limit
 * would also delay the detection that an outage has ended.
 */
const handshakeMs = 1_500
/**
 * Limits for the detection of an unresponsive Postgres: 1.5 s in total, so that an API request
 * fails within 2 s. The probe gets most of this time, because it needs a new connection.
 */
const outageLimits = { maxSilenceMs: 300, maxProbeMs: 1_200 }

/**
 * Creates a class of Postgres clients with a connection timeout of its own. The connection timeout
 * of the pool is longer, because it includes the wait for a free connection.
 */
function clientWith(connectionTimeoutMillis: number): new () => ClientBase {
  const BoundedHandshake = class extends Client {
    constructor(config: ConstructorParameters<typeof Client>[0]) {
      super({ ...(config as object), connectionTimeoutMillis })
    }
  }
  // The pool of node-postgres passes its own options to the client class. The type of the option
  // `Client` does not describe this.
  return BoundedHandshake as unknown as new () => ClientBase
}

/**
 * Creates a pool of Postgres connections. The first query connects.
 *
 * All waits are limited: 5 s for a connection, `timeoutMs` for a statement, 60 s for a transaction
 * that waits for its client, and 1.5 s for a Postgres that does not respond (`OutageDetector`).
 *
 * The `statement_timeout` of the Postgres role should equal `timeoutMs`. `migrate` sets this
 * timeout for the roles of the services. Without it, each statement outside of a transaction costs
 * two additional messages, which are round trips unless the pool is pipelined.
 */
export function connect(url: string, options: ConnectOptions): PooledDb {
  const { name, max = 10, timeoutMs = 30_000, isPipelined = false, onError } = options
  const { patience = 1 } = options
  // Postgres connections have no startup parameter except the name of the pool, because pgbouncer
  // rejects timeouts as startup parameters.
  const server = { connectionString: url, application_name: name }
  const pool = new Pool({
    ...server,
    Client: clientWith(handshakeMs * patience),
    max,
    connectionTimeoutMillis: connectMs * patience,
    idleTimeoutMillis: 30_000,
    query_timeout: timeoutMs + Math.min(timeoutMs / 2, 5_000),
    keepAlive: true,
    pipeline: isPipelined,
  })
  // Listeners for error events are added to the Postgres pool and all connections, because an error
  // event without a listener ends the process. The pool itself listens only on idle connections.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', (error) => onError?.(error)))
  const maxProbeMs = outageLimits.maxProbeMs * patience
  const outages = new OutageDetector({
    maxSilenceMs: outageLimits.maxSilenceMs * patience,
    maxProbeMs,
    probe: () => probePostgres(server, maxProbeMs),
    onChange(isOutage) {
      if (isOutage) bounded.dropIdle()
      options.onOutage?.(isOutage)
    },
  })
  const { onWait } = options
  const bounded = new BoundedPool(pool, { timeoutMs, outages, ...(onWait && { onWait }) })
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: bounded }),
    // The Kysely plugin converts names of columns, but not the keys inside JSON values.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  return Object.assign(db, { pool: bounded })
}

/** Throws unless Postgres responds. Never waits for a Postgres connection in use. */
export function ping(db: PooledDb): Promise<void> {
  return db.pool.ping()
}
