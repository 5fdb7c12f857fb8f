import type { Metrics } from '@posthorn/telemetry'
import type { Express, Request } from 'express'
import { notFound } from './problems.ts'

/** What must answer for the process to be ready, by name: `{ postgres: () => ping(db), rabbitmq: () => assertUp(bus) }`. */
export type Checks = Record<string, () => unknown>

export interface HealthOptions {
  checks: Checks
  metrics: Metrics
  /** Aborted once the process is to stop. */
  stopping: AbortSignal
  /** Who may read `/metrics`; for all others it is not there. */
  mayScrape?: Scrapers
}

export type Scrapers = (request: Request) => boolean | Promise<boolean>

/** How long one readiness check may take. */
const checkMs = 2_000

export function mountHealth(
  app: Express,
  { checks, metrics, stopping, mayScrape }: HealthOptions,
): void {
  app.get('/health/live', (_request, response) => void response.json({ success: true }))
  app.get('/health/ready', async (_request, response) => {
    const failed = stopping.aborted ? ['stopping'] : await failing(checks)
    if (failed.length === 0) response.json({ success: true })
    else response.status(503).json({ success: false, failed })
  })
  app.get('/metrics', async (request, response) => {
    if (mayScrape && !(await mayScrape(request))) throw notFound()
    response.type(metrics.contentType).send(await metrics.text())
  })
}

async function failing(checks: Checks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await within(checkMs, check)
        return []
      } catch {
        return [name]
      }
    }),
  )
  return results.flat()
}

async function within(ms: number, work: () => unknown): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), ms)
  try {
    await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
