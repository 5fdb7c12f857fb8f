import { ConfigError, duration, type Env, integer, list } from '@posthorn/config'
import { type HttpConfig, readHttpConfig } from '@posthorn/service/http-config'
import { hostNameOf } from './access/authenticate.ts'

/** Configuration of api-gateway's HTTP server. */
export interface HttpServerConfig extends HttpConfig {
  /** Origins of the web pages that may call the API; `*` for all origins. */
  readonly corsOrigins: readonly string[]
  readonly corsMaxAgeSeconds: number
  readonly maxConnections: number
  /** Maximum HTTP connections of one IP address, trusted proxies aside. */
  readonly maxConnectionsPerAddress: number
  /** Maximum API requests of one IP address per minute; 0 for no limit. */
  readonly maxRequestsPerAddress: number
  /** Maximum requests of one IP address to public pages and links per minute; 0 for no limit. */
  readonly maxPublicRequestsPerAddress: number
  /**
   * Maximum notifications of mail providers without a known secret, per IP address and minute; 0
   * for no limit.
   */
  readonly maxUnverifiedPerAddress: number
  /**
   * Host names that API requests without an access token may use, besides the host of `serviceUrl`.
   */
  readonly allowedHosts: readonly string[]
}

export function readHttpServerConfig(env: Env): HttpServerConfig {
  return {
    ...readHttpConfig(env),
    corsOrigins: corsOrigins(env),
    corsMaxAgeSeconds:
      duration(env, 'SVC_CORS_MAX_AGE', { fallback: 60_000, min: 0, max: 86_400_000 }) / 1000,
    maxConnections: integer(env, 'SVC_MAX_CONNECTIONS', {
      fallback: 10_000,
      min: 10,
      max: 1_000_000,
    }),
    maxConnectionsPerAddress: integer(env, 'SVC_MAX_CONNECTIONS_PER_ADDRESS', {
      fallback: 1_000,
      min: 1,
      max: 1_000_000,
    }),
    // Default limit of API requests: 1,000 per second on average. An application with many accounts
    // may send all its requests from one address.
    maxRequestsPerAddress: perMinute(env, 'SVC_RATE_LIMIT_PER_ADDRESS', 60_000),
    // Default limit of public requests: 100 per second on average. Mail providers load images of
    // all their users from few addresses.
    maxPublicRequestsPerAddress: perMinute(env, 'SVC_PUBLIC_RATE_LIMIT_PER_ADDRESS', 6_000),
    maxUnverifiedPerAddress: perMinute(env, 'SVC_UNVERIFIED_NOTIFICATIONS_PER_ADDRESS', 60),
    allowedHosts: allowedHosts(env),
  }
}

/** Reads a limit of requests per minute from an environment variable; 0 for no limit. */
function perMinute(env: Env, name: string, fallback: number): number {
  return integer(env, name, { fallback, min: 0, max: 1_000_000_000 })
}

function allowedHosts(env: Env): readonly string[] {
  const name = 'SVC_ALLOWED_HOSTS'
  const hosts = (list(env, name) ?? []).map((host) => host.toLowerCase())
  const wrong = hosts.find((host) => host !== hostNameOf(host))
  if (wrong !== undefined)
    throw new ConfigError(name, `must be host names without ports, got "${wrong}"`)
  return hosts
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

/**
 * True if a configured CORS origin has the form that browsers send. An origin in another form would
 * never match.
 */
function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
}
