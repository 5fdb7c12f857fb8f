import { byteSize, type Env, integer, optional, type Secret, secret } from '@posthorn/config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'

export interface Config extends ServiceConfig {
  /** PEM, or the path of a file with it; the chain as well. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
  readonly maxMessageBytes: number
  readonly maxConnections: number
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { port: 3006 }),
    tlsCert: optional(env, 'SVC_SMTP_PROXY_TLS_CERT'),
    tlsKey: secret(env, 'SVC_SMTP_PROXY_TLS_KEY'),
    maxMessageBytes: byteSize(env, 'SVC_MAX_SMTP_MESSAGE_SIZE', {
      fallback: 25 * 1024 * 1024,
      min: 1024,
      max: 500 * 1024 * 1024,
    }),
    maxConnections: integer(env, 'SVC_SMTP_PROXY_MAX_CONNECTIONS', {
      fallback: 500,
      min: 1,
      max: 100_000,
    }),
  }
}
