import type { Bus } from '@posthorn/bus'
import { createHttpCaller, type HttpProxy } from '@posthorn/net'
import type { OpenLogin } from '@posthorn/service'
import type { Logger } from '@posthorn/telemetry'
import type { SummariesConfig } from '../config.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { keepApiKey } from './api-key.ts'
import { maxAnswerBytes, openEndpoint } from './endpoint.ts'
import { makeSummaries, type Summaries } from './summaries.ts'

interface Parts {
  bus: Bus
  openLogin: OpenLogin
  metrics: WorkerMetrics
  log: Logger
  config: SummariesConfig
  proxy: () => Promise<HttpProxy | undefined>
}

/** The summaries of this process, over connections of their own. */
export function openSummaries(
  opened: AsyncDisposableStack,
  { bus, openLogin, metrics, log, proxy, config }: Parts,
): Summaries {
  const { timeoutMs, concurrency, egressPolicy } = config
  const http = opened.use(
    createHttpCaller({ policy: egressPolicy, proxy, timeoutMs, maxResponseBytes: maxAnswerBytes }),
  )
  return makeSummaries({
    endpoint: openEndpoint(http),
    apiKey: keepApiKey(bus),
    openLogin,
    timeoutMs,
    concurrency,
    told: (...outcome) => metrics.summarised(...outcome),
    log,
  })
}
