import { type Bus, connectBus } from '@posthorn/bus'
import { describeConfig } from '@posthorn/config'
import type { ServiceName } from '@posthorn/contracts/services'
import { ping, type PooledDb, statementTimeoutMs } from '@posthorn/db'
import { type Checks, serve, type ServeOptions } from '@posthorn/http'
import { createLogger, createMetrics, type Logger, type Metrics } from '@posthorn/telemetry'
import { drainDelay } from './drain-delay.ts'
import { openPools } from './open-pools.ts'
import type { ServiceConfig } from './service-config.ts'
import { waitForSchema } from './wait-for-schema.ts'

/** Clients and tools that every service needs: log, metrics, Postgres and RabbitMQ. */
export interface ServiceContext {
  log: Logger
  metrics: Metrics
  db: PooledDb
  bus: Bus
}

/**
 * Clients of a started service for Postgres, RabbitMQ and metrics, and functions for the state of
 * its HTTP server.
 */
export interface Bootstrapped extends ServiceContext {
  port: number
  /**
   * Resolves when the drain delay (time in which clients detect that the process stops) has passed
   * since the start of the service's shutdown.
   */
  drained: () => Promise<void>
  /**
   * Marks the service as started. From then on, the service is ready unless a readiness check
   * fails. Call this function when the start is complete.
   */
  markStarted: () => void
  /** Numbers of HTTP requests and RabbitMQ commands that the service has not finished. */
  unfinished: () => Record<'requests' | 'commands', number>
}

export interface BootstrapOptions {
  name: ServiceName
  config: ServiceConfig
  /**
   * Signal that aborts when the shutdown begins. The service then reports that it is not ready, and
   * `bootstrap` stops waiting for the database schema.
   */
  signal: AbortSignal
  /** Readiness checks of the service. By default, only Postgres is checked. */
  checks?: (context: ServiceContext) => Checks
  /** Returns additional options of the HTTP server, such as the routes that the service mounts. */
  server?: (context: ServiceContext) => Partial<Omit<ServeOptions, 'checks' | 'stopping'>>
  /** Additional fields for the first log line of the service, which contains the configuration. */
  fields?: object
}

/**
 * Creates the log, metrics, Postgres pool, RabbitMQ connection and health endpoints of a service,
 * then waits for the database schema. `stack` disposes all of them in reverse order. While this
 * function waits, the health endpoints already respond. They report that the process is live, and
 * that it is not ready until `markStarted` is called. RabbitMQ may be unavailable.
 */
export async function bootstrap(
  stack: AsyncDisposableStack,
  { name, config, signal, checks = defaultChecks, server, fields = {} }: BootstrapOptions,
): Promise<Bootstrapped> {
  const log = createLogger(name, config.logLevel)
  log.info({ ...fields, config: describeConfig(config) }, 'starting')
  const metrics = createMetrics(name)
  const { main: db } = openPools(
    stack,
    { url: config.databaseUrl, name, log, metrics },
    { main: { max: config.databasePoolSize, timeoutMs: statementTimeoutMs(name) } },
  )
  const bus = stack.use(await connectBus({ url: config.amqpUrl, name, log, metrics }))
  const context = { log, metrics, db, bus }
  const { host, port } = config
  let isStarted = false
  const start = () => {
    if (!isStarted) throw new Error('the service is starting')
  }
  const allChecks = { start, ...checks(context) }
  const options = { host, port, log, metrics, ...server?.(context), checks: allChecks }
  const http = stack.use(await serve({ ...options, stopping: signal }))
  const drained = drainDelay(signal, config.drainDelayMs)
  stack.defer(drained)
  await waitForSchema(db, log, signal)
  const unfinished = () => ({ requests: http.unfinished(), commands: bus.activeHandlers })
  const markStarted = () => void (isStarted = true)
  return { ...context, port: http.port, drained, markStarted, unfinished }
}

/**
 * Readiness check of Postgres. RabbitMQ is not checked, because most services can work without
 * RabbitMQ for a while. The metric `bus_up` shows whether RabbitMQ is connected.
 */
export function defaultChecks({ db }: Pick<ServiceContext, 'db'>): Checks {
  return { postgres: () => ping(db) }
}

/**
 * Readiness check of RabbitMQ. Used by services that can only return errors to their clients
 * without RabbitMQ.
 */
export function busCheck({ bus }: Pick<ServiceContext, 'bus'>): Checks {
  return {
    rabbitmq: () => {
      if (!bus.up) throw new Error('RabbitMQ is not connected')
    },
  }
}
