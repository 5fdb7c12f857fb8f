import { type Bus, connectBus } from '@posthorn/bus'
import { describeConfig } from '@posthorn/config'
import { connect, type Db, ping } from '@posthorn/db'
import { type Checks, serve } from '@posthorn/http'
import { createLogger, createMetrics, type Logger, type Metrics } from '@posthorn/telemetry'
import type { ServiceConfig } from './service-config.ts'
import { waitForSchema } from './wait-for-schema.ts'

/** What a service stands on. */
export interface Ground {
  log: Logger
  metrics: Metrics
  db: Db
  bus: Bus
}

export interface GroundOptions {
  name: string
  config: ServiceConfig
  /** Aborts the waiting for Postgres and the schema. */
  signal: AbortSignal
  /** What must answer for the process to be ready; default Postgres and RabbitMQ. */
  checks?: (ground: Ground) => Checks
  /** Told in the first line of the log, beside the config. */
  about?: object
}

/**
 * Opens a log, Postgres, RabbitMQ and the health endpoints, and waits for the schema. All of it is closed with the stack, in reverse order.
 *
 * Health answers from the first moment on: a process that waits is alive, and not ready. RabbitMQ may be away.
 */
export async function openGround(
  opened: AsyncDisposableStack,
  { name, config, signal, checks = bothServers, about = {} }: GroundOptions,
): Promise<Ground & { port: number }> {
  const log = createLogger(name, config.logLevel)
  log.info({ ...about, config: describeConfig(config) }, 'starting')
  const db = opened.adopt(
    connect(config.databaseUrl, {
      name,
      max: config.databasePoolSize,
      onError: (err) => log.warn({ err }, 'lost a connection to Postgres'),
    }),
    (db) => db.destroy(),
  )
  const metrics = createMetrics(name)
  const bus = opened.use(await connectBus({ url: config.amqpUrl, name, log, metrics }))
  const ground = { log, metrics, db, bus }
  const { host, port } = config
  const http = opened.use(await serve({ host, port, log, metrics, checks: checks(ground) }))
  await waitForSchema(db, log, signal)
  return { ...ground, port: http.port }
}

export function bothServers({ db, bus }: Ground): Checks {
  return { postgres: () => ping(db), rabbitmq: () => assertUp(bus) }
}

function assertUp(bus: Bus): void {
  if (!bus.up) throw new Error('RabbitMQ cannot be used')
}
