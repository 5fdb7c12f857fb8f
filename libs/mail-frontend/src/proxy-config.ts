import {
  addressRanges,
  duration,
  type Env,
  integer,
  optional,
  type Secret,
  secret,
} from '@posthorn/config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'

/** Configuration that imap-proxy and smtp-proxy share. */
export interface ProxyConfig extends ServiceConfig {
  /** PEM certificate chain of the mail proxy, or the path of a file with the chain. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
  /**
   * Port of a second listener for mail clients, with implicit TLS; absent without such a listener.
   */
  readonly tlsPort?: number
  /** Time over which a shutdown disconnects the mail clients. */
  readonly drainMs: number
  /**
   * Maximum duration of a shutdown of the mail proxy, including the time for disconnecting mail
   * clients (`drainMs`).
   */
  readonly shutdownTimeoutMs: number
  /** Maximum connections of mail clients that are not logged in, per address (IPv6: /64). */
  readonly maxPendingPerAddress: number
  /** Maximum sessions of mail clients per account in this process. */
  readonly maxSessionsPerAccount: number
  /** Addresses of trusted TCP proxies, which send a PROXY header. */
  readonly trustedProxies: readonly string[]
}

/** Names of the environment variables that configure a mail proxy (imap-proxy or smtp-proxy). */
export type ProxyVariables = Record<
  | 'drain'
  | 'tlsCert'
  | 'tlsKey'
  | 'tlsPort'
  | 'maxPendingPerAddress'
  | 'maxSessionsPerAccount'
  | 'trustedProxies',
  string
>

export const imapProxyVariables: ProxyVariables = {
  drain: 'SVC_IMAP_PROXY_DRAIN',
  tlsCert: 'SVC_IMAP_PROXY_TLS_CERT',
  tlsKey: 'SVC_IMAP_PROXY_TLS_KEY',
  tlsPort: 'SVC_IMAP_PROXY_TLS_PORT',
  maxPendingPerAddress: 'SVC_IMAP_PROXY_MAX_PENDING_PER_ADDRESS',
  maxSessionsPerAccount: 'SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT',
  trustedProxies: 'SVC_IMAP_PROXY_TRUSTED_PROXIES',
}

export const smtpProxyVariables: ProxyVariables = {
  drain: 'SVC_SMTP_PROXY_DRAIN',
  tlsCert: 'SVC_SMTP_PROXY_TLS_CERT',
  tlsKey: 'SVC_SMTP_PROXY_TLS_KEY',
  tlsPort: 'SVC_SMTP_PROXY_TLS_PORT',
  maxPendingPerAddress: 'SVC_SMTP_PROXY_MAX_PENDING_PER_ADDRESS',
  maxSessionsPerAccount: 'SVC_SMTP_PROXY_MAX_SESSIONS_PER_ACCOUNT',
  trustedProxies: 'SVC_SMTP_PROXY_TRUSTED_PROXIES',
}

const loopback = ['127.0.0.0/8', '::1']

/**
 * Reads the configuration of a mail proxy.
 * @throws ConfigError for an invalid variable
 */
export function readProxyConfig(
  env: Env,
  { name, variables }: { name: 'imap-proxy' | 'smtp-proxy'; variables: ProxyVariables },
  port: number,
): ProxyConfig {
  const service = readServiceConfig(env, { service: name, port })
  const drainMs = duration(env, variables.drain, { fallback: 30_000, min: 0, max: 3_600_000 })
  return {
    ...service,
    drainMs,
    shutdownTimeoutMs: service.shutdownTimeoutMs + drainMs,
    tlsCert: optional(env, variables.tlsCert),
    tlsKey: secret(env, variables.tlsKey),
    ...(optional(env, variables.tlsPort) !== undefined && {
      tlsPort: integer(env, variables.tlsPort, { min: 1, max: 65_535 }),
    }),
    maxPendingPerAddress: integer(env, variables.maxPendingPerAddress, {
      fallback: 50,
      min: 1,
      max: 100_000,
    }),
    // Default of the maximum sessions per account: two mail clients with ten connections each, and
    // a phone. Mail servers reject connections beyond their own limit.
    maxSessionsPerAccount: integer(env, variables.maxSessionsPerAccount, {
      fallback: 25,
      min: 1,
      max: 10_000,
    }),
    trustedProxies: addressRanges(env, variables.trustedProxies) ?? loopback,
  }
}
