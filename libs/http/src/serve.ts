import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger, Metrics } from '@posthorn/telemetry'
import express, { type Express, type Request, type Response } from 'express'
import { type Checks, mountHealth } from './health.ts'
import { closeListener, createListener } from './listener.ts'
import { answerProblems, notFound } from './problems.ts'
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
}

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
  const { host, port, log, metrics, checks, mount } = options
  const stopping = new AbortController()
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(requestLog(log, metrics), securityHeaders)
  mountHealth(app, { checks, metrics, stopping: stopping.signal })
  mount?.(app)

  const answer = answerProblems(log)
  const server = createListener((request, response) =>
    // Called with what no handler took: an error, or nothing for a path that is not there.
    app(request as Request, response as Response, (error) =>
      answer(request, response, error ?? notFound()),
    ),
  )
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  log.info({ host, port: bound }, 'listening')
  return {
    port: bound,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await closeListener(server)
    },
  }
}
