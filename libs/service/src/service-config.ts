import { type Env, integer, oneOf, optional, url } from '@posthorn/config'
import type { ServiceName } from '@posthorn/contracts'
import { type LogLevel, logLevels } from '@posthorn/telemetry'
import { poolSizes } from './pool-sizes.ts'

/** Configuration that every service has. */
export interface ServiceConfig {
  readonly databaseUrl: string
  /** Maximum connections to Postgres. */
  readonly databasePoolSize: number
  readonly amqpUrl: string
  /** Address of health endpoints, metrics and, in api-gateway, the API. */
  readonly host: string
  readonly port: number
  readonly logLevel: LogLevel
}

export interface ServiceDefaults {
  service: ServiceName
  port: number
}

/** @throws ConfigError for a missing or invalid variable */
export function readServiceConfig(env: Env, { service, port }: ServiceDefaults): ServiceConfig {
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
  }
}
