import { countMinutes } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { Sandbox } from '@posthorn/sandbox'
import { bootstrap } from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { closeTimeout } from './close-timeout.ts'
import type { Config } from './config.ts'
import { dispatcherMetrics } from './metrics.ts'
import { cacheRoutes } from './routes/route-cache.ts'
import { startRouteErrorLog } from './routes/route-error-log.ts'
import { type DispatcherContext, startDispatcher } from './start-dispatcher.ts'
import { startFanOut } from './start-fan-out.ts'
import { BodyMemory } from './store/bodies.ts'
import { countDue } from './store/due-deliveries.ts'
import { runRetention } from './store/retention.ts'

const name = 'webhook-dispatcher'

/** Started webhook-dispatcher. */
export interface DispatcherApp extends App {
  /** Port of the health checks and metrics of this process. */
  readonly port: number
}

const hourMs = 3_600_000
/** Maximum value of the metric `deliveries_due` (due webhook deliveries). */
const maxCountedDue = 10_000

/**
 * Starts the webhook-dispatcher. Disposal stops claiming webhook deliveries, releases deliveries
 * that wait and waits for running attempts.
 */
export async function startApp(config: Config, signal: AbortSignal): Promise<DispatcherApp> {
  await using stack = new AsyncDisposableStack()
  const service = await bootstrap(stack, { name, config, signal })
  const { log, db, port } = service
  const retention = { everyMs: hourMs, log, name: 'retention' }
  stack.use(runPeriodically(retention, runRetention(db, config.webhooks, log)))
  const onError = (err: unknown) => log.debug({ err }, 'counter flush failed, will retry')
  const counter = stack.use(countMinutes(db, { onError }))
  const countAllDue = () => countDue(db, maxCountedDue)
  const context: DispatcherContext = {
    ...service,
    stack,
    config: config.webhooks,
    closeTimeoutMs: closeTimeout(config, signal),
    measured: dispatcherMetrics(service.metrics, { countDue: countAllDue, counter }),
    bodies: new BodyMemory(db),
    routes: cacheRoutes(db),
    routeErrors: stack.use(startRouteErrorLog(db, log)),
  }
  // The sandbox for functions of webhook routes is created first, so that it is disposed after the
  // fan-outs (creation of webhook deliveries) that use the sandbox.
  const sandbox = stack.use(new Sandbox())
  const dispatcher = await startDispatcher(context)
  await startFanOut(context, dispatcher, sandbox)
  service.markStarted()
  const app = stack.move()
  return {
    port,
    unfinished: () => ({ ...service.unfinished(), attempts: dispatcher.unfinished() }),
    [Symbol.asyncDispose]: () => app.disposeAsync(),
  }
}
