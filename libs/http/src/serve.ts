import { once } from 'node:events'
import type { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { AppError } from '@posthorn/errors'
import type { Logger, Metrics } from '@posthorn/telemetry'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import { assertHead } from './assert-head.ts'
import { ConnectionLimiter } from './connection-limiter.ts'
import { reloadCertificate, type TlsOptions } from './reload-certificate.ts'
import { type Checks, mountHealth, type Scrapers } from './health.ts'
import { closeListener, createListener, type HttpTimeouts } from './listener.ts'
import { createProblemSender, notFound } from './problems.ts'
import { requestLog } from './request-log.ts'
import { securityHeaders } from './security-headers.ts'

export interface ServeOptions {
  host: string
  /** 0 takes a free one. */
  port: number
  log: Logger
  metrics: Metrics
  checks: Checks
  /** The gateway's API; other services have health and metrics alone. */
  mount?: (app: Express) => void
  /** Lets pages from elsewhere in: see `cors`. */
  crossOrigin?: RequestHandler | undefined
  /** Speaks TLS instead of HTTP in clear. */
  tls?: TlsOptions | undefined
  /** Connections at the same time; beyond them a few for health alone. Default 10,000. */
  maxConnections?: number
  /** What clients may take their time over, where it is not the usual. */
  timeouts?: Partial<HttpTimeouts>
  /** Who may read `/metrics`; default: all who get here. */
  mayScrape?: Scrapers
}

const usualConnections = 10_000
/** Connections for health when all others are taken. */
const spareConnections = 64

export interface HttpServer extends AsyncDisposable {
  readonly port: number
}

/**
 * `/health/live` (the process turns), `/health/ready` (503 while a check fails or the process stops), `/metrics`, and what is mounted.
 * Whatever goes wrong, and whatever is not there, is answered in JSON as the interface spec has it.
 *
 * Disposing answers requests in hand, and refuses readiness meanwhile.
 */
export async function serve(options: ServeOptions): Promise<HttpServer> {
  const { host, port, log, tls } = options
  const stopping = new AbortController()
  const room = openRoom(options)
  const app = createApp(options, { room, stopping: stopping.signal })
  const answer = createProblemSender(log)
  const certificate = await tls?.readCertificate()
  const server = createListener(
    (request, response) =>
      // Called with what no handler took: an error, or nothing for a path that is not there.
      app(request as Request, response as Response, (error) =>
        answer(request, response, error ?? notFound()),
      ),
    { room, certificate, ...(options.timeouts ? { timeouts: options.timeouts } : {}) },
  )
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  log.info({ host, port: bound, tls: tls !== undefined }, 'listening')
  const renewing =
    tls && certificate
      ? reloadCertificate(server as SecureServer, certificate, { ...tls, log })
      : undefined
  return {
    port: bound,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      renewing?.[Symbol.dispose]()
      await closeListener(server)
    },
  }
}

interface AppDeps {
  room: ConnectionLimiter
  stopping: AbortSignal
}

/** Health before all else: it is answered where there is no room for anything. */
function createApp(options: ServeOptions, { room, stopping }: AppDeps): Express {
  const { log, metrics, checks, mount, tls, mayScrape, crossOrigin } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(requestLog(log, metrics), securityHeaders(tls !== undefined), assertHead)
  mountHealth(app, { checks, metrics, stopping, ...(mayScrape ? { mayScrape } : {}) })
  app.use(({ socket }, _response, next) => {
    if (room.isSpare(socket)) throw new AppError('unavailable', 'Too many connections; retry')
    next()
  })
  if (crossOrigin) app.use(crossOrigin)
  // Express would answer for every path there is, in words of its own.
  app.use(({ method }, _response, next) => next(method === 'OPTIONS' ? notFound() : undefined))
  mount?.(app)
  return app
}

function openRoom({ metrics, maxConnections = usualConnections }: ServeOptions): ConnectionLimiter {
  const dropped = metrics.counter({
    name: 'http_connections_dropped_total',
    help: 'Connections ended for want of room: those that waited longest, and newcomers where there were none',
    labels: ['which'],
  })
  const room = new ConnectionLimiter({
    max: maxConnections,
    spare: spareConnections,
    onDropped: (which) => dropped.inc({ which }),
  })
  metrics.gauge({
    name: 'http_connections',
    help: 'Connections of clients',
    collect: () => room.size,
  })
  return room
}
