import { type Env, integer, oneOf, optional, type Secret, secret } from '@posthorn/config'
import { type EgressPolicy, egressPolicies } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import {
  type DrainConfig,
  readDrain,
  readTlsPort,
  readTrustedProxies,
  type TlsPortConfig,
} from '@posthorn/mail-frontend'
import { readMailPorts } from '@posthorn/service/mail-ports-config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'

export interface Config extends ServiceConfig, DrainConfig, TlsPortConfig {
  /** PEM certificate chain, or the path of a file with it. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
  /** Maximum connections that are not logged in; one more ends the oldest. */
  readonly maxPending: number
  /** Maximum connections that are not logged in, per network of their addresses. */
  readonly maxPendingPerAddress: number
  /** Maximum sessions per account in this process. */
  readonly maxSessionsPerAccount: number
  /** Addresses that send a PROXY header. */
  readonly trustedProxies: readonly string[]
  /** Egress policy for mail servers. */
  readonly mailEgressPolicy: EgressPolicy
  /** Ports that mail servers may have. */
  readonly mailPorts: MailPorts
}

export function readConfig(env: Env): Config {
  const service = readServiceConfig(env, { service: 'imap-proxy', port: 3005 })
  return {
    ...service,
    ...readDrain(env, 'SVC_IMAP_PROXY_DRAIN', service),
    tlsCert: optional(env, 'SVC_IMAP_PROXY_TLS_CERT'),
    tlsKey: secret(env, 'SVC_IMAP_PROXY_TLS_KEY'),
    ...readTlsPort(env, 'SVC_IMAP_PROXY_TLS_PORT'),
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
    // Sessions of two mail clients with ten connections each and a phone. Servers reject
    // connections beyond their own limit.
    maxSessionsPerAccount: integer(env, 'SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT', {
      fallback: 25,
      min: 1,
      max: 10_000,
    }),
    trustedProxies: readTrustedProxies(env, 'SVC_IMAP_PROXY_TRUSTED_PROXIES'),
    mailEgressPolicy: oneOf(env, 'SVC_MAIL_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    mailPorts: readMailPorts(env, service),
  }
}
