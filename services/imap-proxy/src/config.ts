import { type Env, integer, optional, type Secret, secret } from '@posthorn/config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'

export interface Config extends ServiceConfig {
  /** PEM, or the path of a file with it; the chain as well. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
  /** Connections of one address that are not logged in yet. */
  readonly maxPendingPerAddress: number
  /** Sessions of one account in this process. */
  readonly maxSessionsPerAccount: number
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { port: 3005 }),
    tlsCert: optional(env, 'SVC_IMAP_PROXY_TLS_CERT'),
    tlsKey: secret(env, 'SVC_IMAP_PROXY_TLS_KEY'),
    maxPendingPerAddress: integer(env, 'SVC_IMAP_PROXY_MAX_PENDING_PER_ADDRESS', {
      fallback: 50,
      min: 1,
      max: 100_000,
    }),
    maxSessionsPerAccount: integer(env, 'SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT', {
      fallback: 20,
      min: 1,
      max: 10_000,
    }),
  }
}
