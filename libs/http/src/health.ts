import { release } from '@posthorn/config/release'
import { withTimeout } from '@posthorn/flow'
import type { Metrics } from '@posthorn/telemetry'
import type { Express, Request } from 'express'
import { notFound } from './problems.ts'

/**
 * Readiness checks of the service by name, such as `{ postgres: () => ping(db) }`. A check that
 * throws an error has failed.
 */
export type Checks = Record<string, () => unknown>

interface HealthOptions {
  checks: Checks
  metrics: Metrics
  /**
   * Signal that aborts when the shutdown of the process begins, so that the health endpoint reports
   * that the process is not ready.
   */
  stopping: AbortSignal
  /**
   * Function that decides whether an HTTP client may read `/metrics`. Other clients get 404. By
   * default, all clients may read.
   */
  mayScrape: Scrapers | undefined
}

/** Function that decides whether an HTTP client may read `/metrics`. */
export type Scrapers = (request: Request) => boolean | Promise<boolean>

/** Maximum duration of a single readiness check of the health endpoint. */
const checkMs = 2_000

/**
 * Mounts the HTTP routes `/health/live`, `/health/ready` (503 while a check fails) and `/metrics`.
 * Both health endpoints report version and revision of the release.
 */
export function mountHealth(
  app: Express,
  { checks, metrics, stopping, mayScrape }: HealthOptions,
): void {
  app.get('/health/live', (_request, response) => void response.json({ success: true, ...release }))
  app.get('/health/ready', async (_request, response) => {
    const failed = stopping.aborted ? ['stopping'] : await failing(checks)
    if (failed.length === 0) response.json({ success: true, ...release })
    else response.status(503).json({ success: false, failed, ...release })
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
        await withTimeout(Promise.resolve(check()), checkMs, () => {
          throw new Error('check timed out')
        })
        return []
      } catch {
        return [name]
      }
    }),
  )
  return results.flat()
}
