import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger, Metrics } from '@posthorn/telemetry'
import express, { type Express } from 'express'

/** What must answer for the process to be ready, by name: `{ postgres: () => ping(db), rabbitmq: () => assertUp(bus) }`. */
export type Checks = Record<string, () => unknown>

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

/** How long one readiness check may take. */
const checkMs = 2_000

/**
 * `/health/live` (the process turns), `/health/ready` (503 while a check fails or the process stops), `/metrics`, and what is mounted.
 *
 * Disposing answers requests in hand, and refuses readiness meanwhile.
 */
export async function serve({ host, port, log, metrics, checks, mount }: ServeOptions): Promise<HttpServer> {
  const app = express()
  app.disable('x-powered-by')
  let stopping = false
  app.get('/health/live', (_request, response) => void response.json({ success: true }))
  app.get('/health/ready', async (_request, response) => {
    const failed = stopping ? ['stopping'] : await failing(checks)
    response.status(failed.length === 0 ? 200 : 503).json({ success: failed.length === 0, ...(failed.length === 0 ? {} : { failed }) })
  })
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.text())
  })
  mount?.(app)
  const server = createServer(app)
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  log.info({ host, port: bound }, 'listening')
  return {
    port: bound,
    async [Symbol.asyncDispose]() {
      stopping = true
      await close(server)
    },
  }
}

async function failing(checks: Checks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await within(checkMs, check())
        return []
      } catch {
        return [name]
      }
    }),
  )
  return results.flat()
}

async function within(ms: number, work: unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await closed
}
