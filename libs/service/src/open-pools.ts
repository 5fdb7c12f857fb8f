import { connect, type PooledDb } from '@posthorn/db'
import type { Gauge, Logger, Metrics } from '@posthorn/telemetry'

export interface PoolLimits {
  /** Maximum number of connections in the Postgres pool. */
  max: number
  /** Maximum duration of an SQL statement that uses the Postgres pool. */
  timeoutMs: number
  /** True if the SQL statements of the pool are pipelined (see the function `connect`). */
  isPipelined?: boolean
}

export interface PoolDeps {
  url: string
  /**
   * Name of the service that uses the Postgres pool. Postgres shows the name in pg_stat_activity.
   */
  name: string
  log: Logger
  metrics: Metrics
}

/**
 * Creates the Postgres pools of a service, by name, and metrics for them. `stack` closes the pools.
 */
export function openPools<Name extends string>(
  stack: AsyncDisposableStack,
  { url, name, log, metrics }: PoolDeps,
  limits: Readonly<Record<Name, PoolLimits>>,
): Record<Name, PooledDb> {
  const waits = metrics.histogram({
    name: 'database_pool_wait_seconds',
    help: 'Time a caller waited for a connection because all were in use',
    labels: ['pool'],
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 5],
  })
  const open = (pool: string, poolLimits: PoolLimits) => {
    const onError = (err: Error) => log.warn({ err }, 'connection to Postgres lost')
    const onWait = (ms: number) => waits.observe({ pool }, ms / 1_000)
    const onOutage = (isOutage: boolean) =>
      isOutage
        ? log.warn({ pool }, 'Postgres does not respond')
        : log.info({ pool }, 'Postgres responds again')
    const options = { name, ...poolLimits, onError, onWait, onOutage }
    return stack.adopt(connect(url, options), (db) => db.destroy())
  }
  const pools = Object.entries<PoolLimits>(limits).map(
    ([pool, poolLimits]) => [pool, open(pool, poolLimits)] as const,
  )
  measureUse(metrics, pools)
  return Object.fromEntries(pools) as Record<Name, PooledDb>
}

function measureUse(metrics: Metrics, pools: readonly (readonly [string, PooledDb])[]): void {
  metrics.gauge({
    name: 'database_up',
    help: '0 while Postgres does not respond or admits no connection, 1 otherwise',
    collect: () => Number(pools.every(([, { pool }]) => pool.isResponsive)),
  })
  const each = (set: (gauge: Gauge, pool: string, use: PooledDb['pool']['use']) => void) => {
    return (gauge: Gauge) => {
      for (const [pool, { pool: connections }] of pools) set(gauge, pool, connections.use)
    }
  }
  metrics.gauge({
    name: 'database_pool_connections',
    help: 'Connections to Postgres, by state: active, idle',
    labels: ['pool', 'state'],
    collect: each((gauge, pool, { active, idle }) => {
      gauge.set({ pool, state: 'active' }, active)
      gauge.set({ pool, state: 'idle' }, idle)
    }),
  })
  metrics.gauge({
    name: 'database_pool_size',
    help: 'Maximum connections to Postgres',
    labels: ['pool'],
    collect: each((gauge, pool, { max }) => gauge.set({ pool }, max)),
  })
  metrics.gauge({
    name: 'database_pool_waiting',
    help: 'Callers that wait for a connection to Postgres because all are in use',
    labels: ['pool'],
    collect: each((gauge, pool, { waiting }) => gauge.set({ pool }, waiting)),
  })
}
