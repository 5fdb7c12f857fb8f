import { type Bus, connectBus } from '@posthorn/bus'
import { describeConfig } from '@posthorn/config'
import { connect, type Db, ping } from '@posthorn/db'
import { type Checks, serve } from '@posthorn/http'
import { createLogger, createMetrics, type Logger, type Metrics } from '@posthorn/telemetry'
import type { ServiceConfig } from './service-config.ts'
import { waitForSchema } from './wait-for-schema.ts'

/** Clients that every service uses. */
export interface ServiceContext {
  log: Logger
  metrics: Metrics
  db: Db
  bus: Bus
}

export interface BootstrapOptions {
  name: string
  config: ServiceConfig
  /** Aborts waiting for Postgres and the schema. */
  signal: AbortSignal
  /** Readiness checks; defaults to Postgres. */
  checks?: (context: ServiceContext) => Checks
  /** Fields of the first log line, beside the config. */
  fields?: object
}

/**
 * Creates the log, metrics, Postgres pool, RabbitMQ connection and health endpoints, then waits for
 * the schema. `stack` disposes all of them in reverse order.
 *
 * The health endpoints respond while this waits: the process is live, but not ready. RabbitMQ may
 * be unavailable.
 */
export async function bootstrap(
  stack: AsyncDisposableStack,
  { name, config, signal, checks = defaultChecks, fields = {} }: BootstrapOptions,
): Promise<ServiceContext & { port: number }> {
  const log = createLogger(name, config.logLevel)
  log.info({ ...fields, config: describeConfig(config) }, 'starting')
  const db = stack.adopt(
    connect(config.databaseUrl, {
      name,
      max: config.databasePoolSize,
      onError: (err) => log.warn({ err }, 'connection to Postgres lost'),
    }),
    (pool) => pool.destroy(),
  )
  const metrics = createMetrics(name)
  const bus = stack.use(await connectBus({ url: config.amqpUrl, name, log, metrics }))
  const context = { log, metrics, db, bus }
  const { host, port } = config
  const http = stack.use(await serve({ host, port, log, metrics, checks: checks(context) }))
  await waitForSchema(db, log, signal)
  return { ...context, port: http.port }
}

/**
 * Checks Postgres. Not RabbitMQ, without which most services continue their work: the metric
 * `bus_up` reports it.
 */
export function defaultChecks({ db }: Pick<ServiceContext, 'db'>): Checks {
  return { postgres: () => ping(db) }
}

/** Checks RabbitMQ, for services whose clients get nothing but errors without it. */
export function busCheck({ bus }: Pick<ServiceContext, 'bus'>): Checks {
  return {
    rabbitmq: () => {
      if (!bus.up) throw new Error('RabbitMQ is not connected')
    },
  }
}
