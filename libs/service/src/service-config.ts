import { type Env, integer, oneOf, optional, url } from '@posthorn/config'
import { type LogLevel, logLevels } from '@posthorn/telemetry'

/** What every service reads from its environment. */
export interface ServiceConfig {
  readonly databaseUrl: string
  /** Connections to Postgres at most. */
  readonly databasePoolSize: number
  readonly amqpUrl: string
  /** Where health, metrics and, for the gateway, the API are served. */
  readonly host: string
  readonly port: number
  readonly logLevel: LogLevel
}

export function readServiceConfig(env: Env, defaults: { port: number }): ServiceConfig {
  return {
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    databasePoolSize: integer(env, 'SVC_DATABASE_POOL_SIZE', { fallback: 10, min: 2, max: 200 }),
    amqpUrl: url(env, 'AMQP_URL', ['amqp:', 'amqps:']),
    host: optional(env, 'SVC_HOST') ?? '127.0.0.1',
    port: integer(env, 'SVC_PORT', { fallback: defaults.port, min: 0, max: 65_535 }),
    logLevel: oneOf(env, 'SVC_LOG_LEVEL', { values: logLevels, fallback: 'info' }),
  }
}
