import {
  boolean,
  byteSize,
  duration,
  type Env,
  integer,
  optional,
  type Secret,
  secret,
} from '@posthorn/config'
import {
  type DrainConfig,
  readDrain,
  readTlsPort,
  readTrustedProxies,
  type TlsPortConfig,
} from '@posthorn/mail-frontend'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'

export interface Config extends ServiceConfig, DrainConfig, TlsPortConfig {
  /** PEM, or the path of a PEM file, with the chain. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
  readonly maxMessageBytes: number
  /** Total size of all messages in transfer. */
  readonly maxBufferedBytes: number
  /** Part of `maxBufferedBytes` that messages of one account may take. */
  readonly maxBufferedBytesPerAccount: number
  readonly maxConnections: number
  /** Maximum sessions of one account. */
  readonly maxSessionsPerAccount: number
  /** Period within which a client must send 32 KiB of its message, or end it. */
  readonly stallMs: number
  /** Maximum connections per address (IPv6: /64) that are not logged in. */
  readonly maxPendingPerAddress: number
  /** Addresses whose PROXY header is accepted. */
  readonly trustedProxies: readonly string[]
  /** True if passwords are accepted in plaintext although there is a certificate. */
  readonly insecureAuth: boolean
}

const mebibyte = 1024 ** 2

export function readConfig(env: Env): Config {
  const maxMessageBytes = byteSize(env, 'SVC_MAX_SMTP_MESSAGE_SIZE', {
    fallback: 25 * mebibyte,
    min: 1024,
    max: 500 * mebibyte,
  })
  const maxBufferedBytes = byteSize(env, 'SVC_SMTP_PROXY_MAX_BUFFERED', {
    fallback: 4 * maxMessageBytes,
    min: maxMessageBytes,
    max: 16 * 1024 * mebibyte,
  })
  const service = readServiceConfig(env, { service: 'smtp-proxy', port: 3006 })
  return {
    ...service,
    ...readDrain(env, 'SVC_SMTP_PROXY_DRAIN', service),
    tlsCert: optional(env, 'SVC_SMTP_PROXY_TLS_CERT'),
    tlsKey: secret(env, 'SVC_SMTP_PROXY_TLS_KEY'),
    ...readTlsPort(env, 'SVC_SMTP_PROXY_TLS_PORT'),
    maxMessageBytes,
    maxBufferedBytes,
    maxBufferedBytesPerAccount: byteSize(env, 'SVC_SMTP_PROXY_MAX_BUFFERED_PER_ACCOUNT', {
      fallback: Math.max(maxMessageBytes, Math.floor(maxBufferedBytes / 2)),
      min: maxMessageBytes,
      max: 16 * 1024 * mebibyte,
    }),
    maxSessionsPerAccount: integer(env, 'SVC_SMTP_PROXY_MAX_SESSIONS_PER_ACCOUNT', {
      fallback: 25,
      min: 1,
      max: 10_000,
    }),
    stallMs: duration(env, 'SVC_SMTP_PROXY_STALL_TIME', {
      fallback: 60_000,
      min: 5_000,
      max: 1_800_000,
    }),
    maxConnections: integer(env, 'SVC_SMTP_PROXY_MAX_CONNECTIONS', {
      fallback: 500,
      min: 1,
      max: 100_000,
    }),
    maxPendingPerAddress: integer(env, 'SVC_SMTP_PROXY_MAX_PENDING_PER_ADDRESS', {
      fallback: 50,
      min: 1,
      max: 100_000,
    }),
    trustedProxies: readTrustedProxies(env, 'SVC_SMTP_PROXY_TRUSTED_PROXIES'),
    insecureAuth: boolean(env, 'SVC_SMTP_PROXY_INSECURE_AUTH', false),
  }
}
