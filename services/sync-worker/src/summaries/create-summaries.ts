import type { Bus } from '@posthorn/bus'
import { createHttpCaller, type HttpProxy } from '@posthorn/net'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import type { SummariesConfig } from '../config.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { cacheApiKey } from './api-key.ts'
import { maxResponseBytes, createEndpoint } from './endpoint.ts'
import { scheduleSummaries, type Summaries } from './summaries.ts'

interface Parts {
  bus: Bus
  openLogin: UnsealLogin
  metrics: WorkerMetrics
  log: Logger
  config: SummariesConfig
  proxy: () => Promise<HttpProxy | undefined>
}

/** The summaries of this process, over connections of their own. */
export function createSummaries(
  opened: AsyncDisposableStack,
  { bus, openLogin, metrics, log, proxy, config }: Parts,
): Summaries {
  const { timeoutMs, concurrency, egressPolicy } = config
  const http = opened.use(
    createHttpCaller({
      policy: egressPolicy,
      proxy,
      timeoutMs,
      maxResponseBytes: maxResponseBytes,
    }),
  )
  return scheduleSummaries({
    endpoint: createEndpoint(http),
    apiKey: cacheApiKey(bus),
    openLogin,
    timeoutMs,
    concurrency,
    onOutcome: (...outcome) => metrics.summarised(...outcome),
    log,
  })
}
