import {
  addressRanges,
  ConfigError,
  duration,
  type Env,
  integer,
  list,
  optional,
  type Secret,
  secret,
} from '@posthorn/config'

/** How the gateway meets its clients. */
export interface HttpServerConfig {
  /** Whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Who may read `/metrics`. */
  readonly metricsAddresses: readonly string[]
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[]
  readonly corsMaxAgeSeconds: number
  /** PEM, or the path of a file with it; the chain as well. */
  readonly tlsCert: string | undefined
  readonly tlsKey: Secret | undefined
  readonly maxConnections: number
}

/** This machine, and networks that nobody reaches from outside. RFC 1918, RFC 4193, RFC 3927, RFC 4291 §2.5.6. */
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

export function readHttpServerConfig(env: Env): HttpServerConfig {
  return {
    trustedProxies: addressRanges(env, 'SVC_TRUSTED_PROXIES') ?? [],
    metricsAddresses: metricsAddresses(env),
    corsOrigins: corsOrigins(env),
    corsMaxAgeSeconds:
      duration(env, 'SVC_CORS_MAX_AGE', { fallback: 60_000, min: 0, max: 86_400_000 }) / 1000,
    ...certificate(env),
    maxConnections: integer(env, 'SVC_MAX_CONNECTIONS', {
      fallback: 10_000,
      min: 10,
      max: 1_000_000,
    }),
  }
}

/** Set and empty: nobody. */
function metricsAddresses(env: Env): readonly string[] {
  const name = 'SVC_METRICS_ADDRESSES'
  if (env[name] === '') return []
  return addressRanges(env, name) ?? ownNetworks
}

function corsOrigins(env: Env): readonly string[] {
  const name = 'SVC_CORS_ORIGIN'
  const origins = list(env, name) ?? []
  const wrong = origins.find((origin) => origin !== '*' && !isOrigin(origin))
  if (wrong !== undefined)
    throw new ConfigError(name, `must be * or origins such as https://app.example, got "${wrong}"`)
  if (origins.includes('*') && origins.length > 1)
    throw new ConfigError(name, 'must be * or origins, not both')
  return origins
}

/** As browsers write it: compared as text, anything else would never match. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
}

function certificate(env: Env): Pick<HttpServerConfig, 'tlsCert' | 'tlsKey'> {
  const tlsCert = optional(env, 'SVC_TLS_CERT')
  const tlsKey = secret(env, 'SVC_TLS_KEY')
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new ConfigError(tlsCert ? 'SVC_TLS_KEY' : 'SVC_TLS_CERT', 'must be set as well')
  return { tlsCert, tlsKey }
}
