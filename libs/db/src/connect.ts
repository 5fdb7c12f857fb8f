import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Client, type ClientBase, Pool } from 'pg'
import { BoundedPool } from './bounded-pool.ts'
import { OutageDetector } from './outage-detector.ts'
import { probePostgres } from './probe-postgres.ts'
import type { Tables } from './tables/index.ts'

export type Db = Kysely<Tables>
/** Transaction of Postgres. Functions that require a transaction take this type instead of Db. */
export type Tx = Transaction<Tables>
/** Postgres database with the state of its connection pool. */
export type PooledDb = Db & { readonly pool: Pick<BoundedPool, 'use' | 'ping' | 'isResponsive'> }

export interface ConnectOptions {
  /** Name of the connection pool, shown in pg_stat_activity. */
  name: string
  /** Maximum connections of the pool; defaults to 10. */
  max?: number
  /** Maximum duration of an SQL statement; defaults to 30 s. The client waits up to 5 s longer. */
  timeoutMs?: number
  /**
   * If true, an SQL statement is sent together with the transaction around it. For pools whose
   * timeout differs from the timeout of the role.
   */
  isPipelined?: boolean
  /**
   * Factor of all limits of an unresponsive Postgres; defaults to 1. Tests on a busy machine wait
   * longer.
   */
  patience?: number
  /** Called when a Postgres connection is lost. The pool replaces the connection. */
  onError?: (error: Error) => void
  /** Called with the duration of each wait for a Postgres connection of a full pool. */
  onWait?: (ms: number) => void
  /**
   * Called with true when Postgres stops responding, and with false when Postgres responds again.
   */
  onOutage?: (isOutage: boolean) => void
}

/** Maximum wait for a connection of the Postgres pool. */
const connectMs = 5_000
/**
 * Maximum duration of the handshake of a new Postgres connection. Requests that need a new
 * connection fail within 2 s also while only new connections get no response. A longer handshake
 * would delay the end of an outage.
 */
const handshakeMs = 1_500
/**
 * Limits of an unresponsive Postgres: 1.5 s in total, so that a request to the API fails within
 * 2 s. Most of the time is for the probe, which needs a new connection.
 */
const outageLimits = { maxSilenceMs: 300, maxProbeMs: 1_200 }

/**
 * Creates a class of Postgres clients with a shorter connection timeout than their pool, because
 * the timeout of the pool includes the wait for a free connection.
 */
function clientWith(connectionTimeoutMillis: number): new () => ClientBase {
  const BoundedHandshake = class extends Client {
    constructor(config: ConstructorParameters<typeof Client>[0]) {
      super({ ...(config as object), connectionTimeoutMillis })
    }
  }
  // The pool passes its options to the client, but the type of the client class does not allow
  // them.
  return BoundedHandshake as unknown as new () => ClientBase
}

/**
 * Creates a pool of Postgres connections. The first query connects.
 *
 * Every wait is bounded: 5 s for a connection, `timeoutMs` for a statement, 60 s for a transaction
 * that waits for its client, and 1.5 s for a Postgres that does not respond (`OutageDetector`). The
 * role's `statement_timeout` should be `timeoutMs`, which `migrate` sets for the services.
 * Otherwise each statement outside of a transaction costs two messages more, which are round trips
 * unless the pool is pipelined.
 */
export function connect(url: string, options: ConnectOptions): PooledDb {
  const { name, max = 10, timeoutMs = 30_000, isPipelined = false, onError } = options
  const { patience = 1 } = options
  // The name of the pool is the only startup parameter of a connection: pgbouncer rejects timeouts.
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
  // An error event without a listener ends the process. The pool itself listens on idle connections
  // only.
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
    // The keys inside JSON values of columns are not column names and stay unchanged.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  return Object.assign(db, { pool: bounded })
}

/** Throws unless Postgres responds. Never waits for a Postgres connection in use. */
export function ping(db: PooledDb): Promise<void> {
  return db.pool.ping()
}
