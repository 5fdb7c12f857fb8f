import { type Env, integer, oneOf, optional, type Secret, secret } from '@posthorn/config'
import { type EgressPolicy, egressPolicies } from '@posthorn/net'
import { readTrustedProxies } from '@posthorn/mail-frontend'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'

export interface Config extends ServiceConfig {
  /** PEM, or the path of a file with it; the chain as well. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
  /** Connections that are not logged in yet; one more sends the oldest away. */
  readonly maxPending: number
  /** Those of one address. */
  readonly maxPendingPerAddress: number
  /** Sessions of one account in this process. */
  readonly maxSessionsPerAccount: number
  /** Who is believed where a client comes from. */
  readonly trustedProxies: readonly string[]
  /** Where mail servers may be. */
  readonly mailEgressPolicy: EgressPolicy
  /** Over how long goodbyes to all are spread, so that they do not all come back at once. */
  readonly goodbyesMs: number
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { port: 3005 }),
    tlsCert: optional(env, 'SVC_IMAP_PROXY_TLS_CERT'),
    tlsKey: secret(env, 'SVC_IMAP_PROXY_TLS_KEY'),
    maxPending: integer(env, 'SVC_IMAP_PROXY_MAX_PENDING', {
      fallback: 2_000,
      min: 1,
      max: 100_000,
    }),
    maxPendingPerAddress: integer(env, 'SVC_IMAP_PROXY_MAX_PENDING_PER_ADDRESS', {
      fallback: 50,
      min: 1,
      max: 100_000,
    }),
    // With the five connections of our own that an account usually has: the fifteen Gmail gives it.
    maxSessionsPerAccount: integer(env, 'SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT', {
      fallback: 10,
      min: 1,
      max: 10_000,
    }),
    trustedProxies: readTrustedProxies(env, 'SVC_IMAP_PROXY_TRUSTED_PROXIES'),
    mailEgressPolicy: oneOf(env, 'SVC_MAIL_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    goodbyesMs: 5_000,
  }
}
