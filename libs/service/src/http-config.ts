import {
  addressRanges,
  ConfigError,
  type Env,
  optional,
  type Secret,
  secret,
} from '@posthorn/config'
import type { TlsOptions } from '@posthorn/http'
import { readCertificate } from './certificate.ts'

/** Configuration of an HTTP server that clients outside the cluster reach. */
export interface HttpConfig {
  /** IP addresses of proxies whose X-Forwarded-For is used. */
  readonly trustedProxies: readonly string[]
  /** IP addresses that may read `/metrics`. */
  readonly metricsAddresses: readonly string[]
  /** TLS certificate chain of the HTTP server: the PEM text, or the path of a PEM file. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
}

/**
 * Networks that may read `/metrics` by default: loopback, private and link-local networks (RFC
 * 1918, RFC 4193, RFC 3927, RFC 4291 §2.5.6).
 */
const ownNetworks = [
  '127.0.0.0/8',
  '::1',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]

/**
 * Reads the configuration of an HTTP server that clients outside the cluster reach.
 * @throws ConfigError for an invalid variable
 */
export function readHttpConfig(env: Env): HttpConfig {
  return {
    trustedProxies: addressRanges(env, 'SVC_TRUSTED_PROXIES') ?? [],
    metricsAddresses: metricsAddresses(env),
    ...certificate(env),
  }
}

/**
 * IP addresses that may read `/metrics`. If the variable SVC_METRICS_ADDRESSES is set but empty, no
 * address may; if the variable is unset, loopback, private and link-local addresses may.
 */
function metricsAddresses(env: Env): readonly string[] {
  const name = 'SVC_METRICS_ADDRESSES'
  if (env[name] === '') return []
  return addressRanges(env, name) ?? ownNetworks
}

function certificate(env: Env): Pick<HttpConfig, 'tlsCert' | 'tlsKey'> {
  const tlsCert = optional(env, 'SVC_TLS_CERT')
  const tlsKey = secret(env, 'SVC_TLS_KEY')
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new ConfigError(tlsCert ? 'SVC_TLS_KEY' : 'SVC_TLS_CERT', 'must be set as well')
  return { tlsCert, tlsKey }
}

/** TLS options of an HTTP server. Undefined if no certificate is configured. */
export function tlsOptions({
  tlsCert,
  tlsKey,
}: Pick<HttpConfig, 'tlsCert' | 'tlsKey'>): TlsOptions | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  return {
    async readCertificate() {
      const certificate = await readCertificate(tlsCert, tlsKey)
      if (!certificate) throw new Error('SVC_TLS_CERT contains no certificate')
      return { cert: certificate.cert, key: certificate.key }
    },
  }
}
