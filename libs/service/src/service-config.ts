import { duration, type Env, integer, oneOf, optional, url } from '@posthorn/config'
import type { ServiceName } from '@posthorn/contracts/services'
import { type LogLevel, logLevels } from '@posthorn/telemetry'
import { poolSizes } from './pool-sizes.ts'

/** Configuration values that every service has. */
export interface ServiceConfig {
  readonly databaseUrl: string
  /** Maximum number of Postgres connections of the service. */
  readonly databasePoolSize: number
  readonly amqpUrl: string
  /**
   * Address at which the service listens for health checks, metrics and, in api-gateway, the API.
   */
  readonly host: string
  readonly port: number
  readonly logLevel: LogLevel
  /**
   * Time after SIGTERM in which the service reports that it is not ready, but still accepts
   * connections.
   */
  readonly drainDelayMs: number
  /** Maximum duration of the service's shutdown, counted from the end of `drainDelayMs`. */
  readonly shutdownTimeoutMs: number
}

const hour = 3_600_000

export interface ServiceDefaults {
  service: ServiceName
  port: number
  /** Maximum duration of the service's shutdown. Defaults to 10 s. */
  shutdownTimeoutMs?: number
}

/**
 * Reads the configuration values that every service has.
 * @throws ConfigError for a missing or invalid variable
 */
export function readServiceConfig(
  env: Env,
  { service, port, shutdownTimeoutMs = 10_000 }: ServiceDefaults,
): ServiceConfig {
  return {
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    databasePoolSize: integer(env, 'SVC_DATABASE_POOL_SIZE', {
      fallback: poolSizes[service],
      min: 2,
      max: 200,
    }),
    amqpUrl: url(env, 'AMQP_URL', ['amqp:', 'amqps:']),
    host: optional(env, 'SVC_HOST') ?? '127.0.0.1',
    port: integer(env, 'SVC_PORT', { fallback: port, min: 0, max: 65_535 }),
    logLevel: oneOf(env, 'SVC_LOG_LEVEL', { values: logLevels, fallback: 'info' }),
    drainDelayMs: duration(env, 'SVC_DRAIN_DELAY', { fallback: 0, min: 0, max: hour }),
    shutdownTimeoutMs: duration(env, 'SVC_SHUTDOWN_TIMEOUT', {
      fallback: shutdownTimeoutMs,
      min: 1_000,
      max: hour,
    }),
  }
}
