import { addressAllowed, mayScrape } from '@posthorn/access'
import type { Operation } from '@posthorn/contracts/define'
import { operations } from '@posthorn/contracts/operations'
import { ping, type PooledDb, type SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { cors, type HttpServer, serve, type ServeOptions } from '@posthorn/http'
import { tlsOptions } from '@posthorn/service/http-config'
import { type RequestHandler, Router } from 'express'
import type { Config } from '../config.ts'
import {
  reportTrustedProxies,
  scrapeWaitMs,
  stripUntrustedHeaders,
  trustsProxies,
} from './trusted-proxies.ts'
import type { HttpServerConfig } from '../http-server-config.ts'

/**
 * Request headers that web pages of other origins may send, in addition to the headers that API
 * operations declare.
 */
const commonHeaders = ['authorization', 'content-type', 'x-request-id']

/**
 * Part of the shutdown timeout that is reserved for closing resources, after open HTTP requests
 * were dropped.
 */
const releaseMs = 2_000

/** Response headers that web pages of other origins may read. */
const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Retry-After',
  'WWW-Authenticate',
]

export interface HttpServerOptions extends Pick<ServeOptions, 'log' | 'metrics' | 'stopping'> {
  config: Pick<Config, 'host' | 'port' | 'httpServer' | 'shutdownTimeoutMs'>
  db: PooledDb
  settings: SettingsCache
  /** Express handler that serves all API requests. */
  api: RequestHandler
}

export interface GatewayServer extends HttpServer {
  /**
   * Marks the HTTP server as ready. Before that, API requests and requests of public pages get 503.
   */
  markStarted(): void
}

/** Starts the HTTP server with TLS, CORS and proxy trust from environment and settings. */
export async function startHttpServer({
  config: { host, port, httpServer, shutdownTimeoutMs },
  db,
  settings,
  api,
  ...options
}: HttpServerOptions): Promise<GatewayServer> {
  reportTrustedProxies(options.log, httpServer.trustedProxies)
  const isTrusted = trustsProxies(settings)
  let isStarted = false
  const assertStarted = () => {
    if (!isStarted) throw new AppError('unavailable', 'The service is starting')
  }
  const whenStarted: RequestHandler = (_request, _response, next) => {
    assertStarted()
    next()
  }
  const server = await serve({
    ...options,
    host,
    port,
    closeTimeoutMs: Math.max(0, shutdownTimeoutMs - releaseMs),
    // Readiness of api-gateway does not depend on RabbitMQ: without RabbitMQ, accounts can be
    // registered and messages submitted.
    checks: { start: assertStarted, postgres: () => ping(db) },
    mount: (app) => void app.use(stripUntrustedHeaders(isTrusted), dropCookies, whenStarted, api),
    ...connectionLimits(httpServer),
    // The settings, which may need Postgres, are read only if a proxy forwards the scrape of
    // `/metrics`.
    mayScrape: async (request) =>
      mayScrape(
        request,
        request.headers['x-forwarded-for'] === undefined || (await isTrusted(scrapeWaitMs))
          ? httpServer
          : { ...httpServer, trustedProxies: [] },
      ),
    crossOrigin: crossOrigin(httpServer),
    tls: tlsOptions(httpServer),
  })
  return { ...server, markStarted: () => void (isStarted = true) }
}

/** Paths of the API, which never reads cookies. */
const apiPaths = /^\/(?:v1|admin)(?:\/|$)/i

/**
 * Removes cookies from API requests. A session of the administration pages on the same host is
 * therefore no credential of the API.
 */
const dropCookies: RequestHandler = ({ headers, path }, _response, next) => {
  if (apiPaths.test(path)) delete headers.cookie
  next()
}

/** Limits of HTTP connections. A trusted proxy is exempt from the limit per address. */
function connectionLimits({
  maxConnections,
  maxConnectionsPerAddress,
  trustedProxies,
}: HttpServerConfig) {
  const isExemptAddress = (address: string) =>
    trustedProxies.length > 0 && addressAllowed(trustedProxies, address)
  return { maxConnections, maxConnectionsPerAddress, isExemptAddress }
}

/**
 * CORS middleware for the API and the API document. `/admin` and public pages are closed to other
 * origins.
 */
function crossOrigin({
  corsOrigins,
  corsMaxAgeSeconds,
}: HttpServerConfig): RequestHandler | undefined {
  if (corsOrigins.length === 0) return undefined
  const all: Operation[] = Object.values(operations)
  const operationHeaders = all.flatMap(({ headers }) => Object.keys(headers?.properties ?? {}))
  const policy = cors({
    origins: corsOrigins,
    maxAgeSeconds: corsMaxAgeSeconds,
    methods: [...new Set(all.map(({ method }) => method.toUpperCase()))],
    requestHeaders: [...new Set([...commonHeaders, ...operationHeaders])],
    responseHeaders: exposedHeaders,
  })
  return Router({ caseSensitive: true }).use(['/v1', '/openapi.json'], policy)
}
