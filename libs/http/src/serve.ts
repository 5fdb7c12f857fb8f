import { once } from 'node:events'
import type { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { AppError } from '@posthorn/errors'
import type { Logger, Metrics } from '@posthorn/telemetry'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import { ConnectionLimiter } from './connection-limiter.ts'
import { type Checks, mountHealth, type Scrapers } from './health.ts'
import { closeListener, createListener, type HttpTimeouts } from './listener.ts'
import { createProblemSender, notFound } from './problems.ts'
import { reloadCertificate, type TlsOptions } from './reload-certificate.ts'
import { requestLog } from './request-log.ts'
import { securityHeaders } from './security-headers.ts'

export interface ServeOptions {
  host: string
  /** Port on which the HTTP server listens. 0 selects a free port. */
  port: number
  log: Logger
  metrics: Metrics
  checks: Checks
  /** Function that mounts additional routes on the HTTP server, such as the API of api-gateway. */
  mount?: (app: Express) => void
  /** Handler of the HTTP server for cross-origin requests (see `cors`). */
  crossOrigin?: RequestHandler | undefined
  /**
   * TLS options of the HTTP server. If present, the server terminates TLS. If absent, the server
   * uses plain HTTP.
   */
  tls?: TlsOptions | undefined
  /**
   * Maximum number of connections to the HTTP server, plus 64 connections for health endpoints.
   * Defaults to 10,000.
   */
  maxConnections?: number
  /** Maximum number of HTTP connections from one client address (IPv6: /64). Defaults to 1,000. */
  maxConnectionsPerAddress?: number
  /**
   * Function that returns true if the maximum per client address does not apply to an address, such
   * as the address of a reverse proxy.
   */
  isExemptAddress?: ((address: string) => boolean) | undefined
  /** Time limits for HTTP clients, which replace the default limits. */
  timeouts?: Partial<HttpTimeouts>
  /**
   * Function that decides whether an HTTP client may read `/metrics`. By default, all clients may
   * read.
   */
  mayScrape?: Scrapers | undefined
  /**
   * Signal that aborts when the shutdown of the process begins. From then on, the HTTP server
   * reports that it is not ready, and each connection is closed after its next response.
   */
  stopping?: AbortSignal | undefined
  /**
   * Time after which disposal of the HTTP server drops requests that are still in flight. Defaults
   * to 8 s.
   */
  closeTimeoutMs?: number
}

/**
 * Number of additional HTTP connections that are accepted above the maximum. On these connections,
 * only health endpoints are served.
 */
const spareConnections = 64

export interface HttpServer extends AsyncDisposable {
  readonly port: number
  /** Number of HTTP requests that are in flight, or that disposal of the server has dropped. */
  unfinished(): number
}

/**
 * Starts an HTTP server with `/health/live`, `/health/ready` (503 while a check fails or the
 * process stops), `/metrics` and the mounted routes. Errors and unknown paths get a JSON body as in
 * the interface spec.
 *
 * After `stopping` has aborted, the server reports that it is not ready. It still accepts
 * connections, and closes each connection after a response. Disposal accepts no more connections,
 * completes requests in flight and closes the server.
 */
export async function serve(options: ServeOptions): Promise<HttpServer> {
  const { host, port, log, tls, timeouts, closeTimeoutMs = 8_000 } = options
  const closing = new AbortController()
  const stopping = AbortSignal.any([
    closing.signal,
    ...(options.stopping ? [options.stopping] : []),
  ])
  const limiter = createLimiter(options)
  const app = createApp(options, { limiter, stopping })
  const sendProblem = createProblemSender(log)
  const certificate = await tls?.readCertificate()
  const server = createListener(
    (request, response) =>
      // Express calls this function with the error of a handler. If no route matched the request,
      // the error is undefined.
      app(request as Request, response as Response, (error) =>
        sendProblem(request, response, error ?? notFound()),
      ),
    { limiter, certificate, timeouts, stopping },
  )
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  log.info({ host, port: bound, tls: tls !== undefined }, 'listening')
  const reloading =
    tls && certificate
      ? reloadCertificate(server as SecureServer, certificate, { ...tls, log })
      : undefined
  let dropped: number | undefined
  return {
    port: bound,
    unfinished: () => dropped ?? limiter.inFlight,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await reloading?.[Symbol.asyncDispose]()
      await closeListener(server, closeTimeoutMs, () => void (dropped = limiter.inFlight))
    },
  }
}

interface AppDeps {
  limiter: ConnectionLimiter
  stopping: AbortSignal
}

/**
 * Creates the Express app of an HTTP server. The health routes are mounted first, because spare
 * connections may use only these routes.
 */
function createApp(options: ServeOptions, { limiter, stopping }: AppDeps): Express {
  const { log, metrics, checks, mount, tls, mayScrape, crossOrigin } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(requestLog(log, metrics), securityHeaders(tls !== undefined), assertHead)
  mountHealth(app, { checks, metrics, stopping, mayScrape })
  app.use(({ socket }, _response, next) => {
    if (limiter.isSpare(socket))
      throw new AppError('unavailable', 'Too many connections, retry later')
    next()
  })
  if (crossOrigin) app.use(crossOrigin)
  // Without this handler, Express itself would respond to OPTIONS requests, without the JSON error
  // body.
  app.use(({ method }, _response, next) => next(method === 'OPTIONS' ? notFound() : undefined))
  mount?.(app)
  return app
}

function createLimiter({
  metrics,
  maxConnections = 10_000,
  maxConnectionsPerAddress: maxPerAddress = 1_000,
  isExemptAddress: isExempt,
}: ServeOptions): ConnectionLimiter {
  const dropped = metrics.counter({
    name: 'http_connections_dropped_total',
    help: 'Connections dropped at a limit: waiting for their client, or new and none waited (full)',
    labels: ['which'],
  })
  const limiter = new ConnectionLimiter({
    max: maxConnections,
    maxPerAddress,
    isExempt,
    spare: spareConnections,
    onDropped: (which) => dropped.inc({ which }),
  })
  metrics.gauge({
    name: 'http_connections',
    help: 'Open connections',
    collect: () => limiter.size,
  })
  return limiter
}

/** Maximum number of headers in an HTTP request. Browsers and proxies send fewer than 50. */
const maxHeaders = 100

/**
 * Handler that rejects request heads that two HTTP implementations could interpret differently: a
 * missing or repeated Host (RFC 9112 §3.2), a transfer coding other than chunked (§6.1), too many
 * headers.
 */
export const assertHead: RequestHandler = (request, _response, next) => {
  const { rawHeaders, httpVersion, headers } = request
  if (rawHeaders.length / 2 > maxHeaders)
    throw Object.assign(new Error('too many headers'), { status: 431 })
  if (!/^1\.[01]$/.test(httpVersion))
    throw new AppError('invalid', 'HTTP version not supported, use HTTP/1.1')
  if (!/^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked'))
    throw new AppError('invalid', 'Transfer-Encoding is not supported')
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
    throw new AppError('invalid', 'Exactly one Host header is required')
  next()
}
