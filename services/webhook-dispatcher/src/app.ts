import { randomUUID } from 'node:crypto'
import { cacheSettings, countMinutes } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import { Sandbox } from '@posthorn/sandbox'
import { bootstrap, type ServiceContext } from '@posthorn/service/bootstrap'
import { watchQueuePause } from '@posthorn/service/queue-pause'
import type { App } from '@posthorn/service/run'
import { createHeaderUnsealer, createLoginUnsealer } from '@posthorn/unseal'
import { type AttemptDelivery, createAttempts } from './attempt/attempt.ts'
import { AttemptRecorder } from './attempt/recorder.ts'
import { cacheSigningKeys, fetchSigningKeys } from './attempt/signing.ts'
import { onVerifyWebhook } from './attempt/verify-webhook.ts'
import type { Config, WebhookConfig } from './config.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { runReplays } from './store/replays.ts'
import { TargetThrottle } from './dispatch/target-throttle.ts'
import { consumeHints, createFanOutRuns, sweepFanOut, sweepPublish } from './events/fan-out-runs.ts'
import { batchSize, createFanOut } from './events/fan-out.ts'
import { type DispatcherMetrics, dispatcherMetrics, registerDueAge } from './metrics.ts'
import { runRetention } from './store/retention.ts'
import { decideRoutes } from './routes/decide.ts'
import { cacheRoutes, type RouteCache } from './routes/route-cache.ts'
import { type RouteErrorLog, startRouteErrorLog } from './routes/route-error-log.ts'
import { BodyMemory } from './store/events.ts'
import { countDue, findOldestDueSeconds } from './store/deliveries.ts'
import { targetOptions } from './targets/options.ts'
import { createFindTestTarget } from './targets/test-target.ts'
import { createTargets } from './targets/targets.ts'

const name = 'webhook-dispatcher'

export interface DispatcherApp extends App {
  /** Port of the health checks and metrics of this process. */
  readonly port: number
}

/**
 * Maximum partitions (groups of accounts) for whose events webhook deliveries are created
 * concurrently (fan-out). Each fan-out uses a connection to Postgres.
 */
const maxFanOuts = 4
const sweepEveryMs = 1_000
const hourMs = 3_600_000
/**
 * Maximum bytes that are read of a webhook target's response. Of these bytes, 2,000 characters are
 * stored.
 */
const maxResponseBytes = 16_384
/**
 * Part of the shutdown timeout that is left for releasing webhook deliveries whose attempts were
 * aborted.
 */
const releaseMs = 2_000
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
  const context: Context = {
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

/**
 * Returns a function for the time that running webhook delivery attempts have left at a shutdown.
 * The time counts from the end of the drain delay, as the limit of the shutdown does: the steps
 * before may take seconds on a busy machine.
 */
function closeTimeout({ drainDelayMs, shutdownTimeoutMs }: Config, stopping: AbortSignal) {
  const timeoutMs = Math.max(0, shutdownTimeoutMs - releaseMs)
  let endAt: number | undefined
  const start = () => {
    endAt = performance.now() + drainDelayMs + timeoutMs
  }
  stopping.addEventListener('abort', start, { once: true })
  return () => (endAt === undefined ? timeoutMs : Math.max(0, endAt - performance.now()))
}

interface Context extends Pick<ServiceContext, 'db' | 'bus' | 'log' | 'metrics'> {
  stack: AsyncDisposableStack
  config: WebhookConfig
  closeTimeoutMs: () => number
  measured: DispatcherMetrics
  bodies: BodyMemory
  routes: RouteCache
  routeErrors: RouteErrorLog
}

async function startDispatcher(context: Context): Promise<Dispatcher> {
  const { db, bus, log, stack, config, closeTimeoutMs, measured, routeErrors } = context
  const { options, verification, ...receivers } = await startReceivers(context)
  const throttle = new TargetThrottle({
    optionsOf: (lane) => options.of(lane),
    pausedLanes: () => options.paused,
    // The first suspension of a webhook target lasts as long as the first retry delay of a
    // delivery, later suspensions up to six times as long.
    suspendMs: config.retryBaseMs,
    maxSuspendMs: 6 * config.retryBaseMs,
  })
  measured.blockedTargets(throttle)
  const { concurrency, leaseMs } = config
  const owner = { id: randomUUID(), leaseMs }
  const recorder = new AttemptRecorder({ db, owner, log })
  const makeAttempt = createAttempts({
    ...receivers,
    bodies: context.bodies,
    recorder,
    options,
    metrics: measured,
    log,
  })
  const attempt: AttemptDelivery = async (delivery, signal) => {
    const result = await makeAttempt(delivery, signal)
    routeErrors.recordAttempt(delivery, result)
    return result
  }
  const dispatcher = stack.use(
    new Dispatcher({ db, owner, throttle, recorder, attempt, concurrency, closeTimeoutMs, log }),
  )
  options.onChange(() => dispatcher.applyTargetOptions())
  const onChange = (paused: boolean) => dispatcher.setPaused(paused)
  const queue = stack.use(await watchQueuePause({ db, bus, log, queue: 'notify', onChange }))
  dispatcher.setPaused(queue.paused)
  const handlers = [onVerifyWebhook(verification)]
  stack.use(await bus.serve({ queue: 'verify.webhook', handlers }))
  registerDueAge(context.metrics, () =>
    queue.paused ? 0 : findOldestDueSeconds(db, throttle.blocked()),
  )
  return dispatcher
}

/**
 * Creates the objects for calls of webhook targets: addresses, options and keys of the targets, and
 * the HTTP client.
 */
async function startReceivers({ db, bus, log, stack, config, routes }: Context) {
  const settings = cacheSettings(db)
  const unsealLogin = createLoginUnsealer(bus)
  const unsealHeader = createHeaderUnsealer(bus)
  const targets = createTargets({ db, settings, routes, unsealLogin, unsealHeader })
  const { targetConcurrency, retryBaseMs } = config
  const options = targetOptions(settings, { concurrency: targetConcurrency, retryBaseMs })
  // Reads the options before the first call, so that no call of a paused webhook target is made.
  await options.refresh()
  const refresh = { everyMs: sweepEveryMs, log, name: 'target-options' }
  stack.use(runPeriodically(refresh, () => options.refresh()))
  const keys = cacheSigningKeys({ fetch: () => fetchSigningKeys(bus), log })
  const onRefreshError = (err: unknown) => log.debug({ err }, 'settings refresh failed, will retry')
  stack.use(
    await bus.onInvalidate(({ topic, id }) => {
      if (topic === 'accounts') targets.invalidate(id)
      if (topic === 'routes') routes.invalidate()
      if (topic !== 'settings') return
      settings.invalidate()
      keys.invalidate()
      options.refresh().catch(onRefreshError)
    }),
  )
  const http = stack.use(
    createHttpCaller({
      policy: config.egressPolicy,
      client: 'node',
      timeoutMs: config.timeoutMs,
      maxResponseBytes,
      maxSockets: config.concurrency,
      proxy: proxyFromSettings(() => settings.get(), {
        egress: config.proxyEgressPolicy,
        fallback: config.proxy,
        unseal: unsealLogin,
      }),
    }),
  )
  const findTarget = createFindTestTarget({ db, settings, unsealLogin, unsealHeader })
  const { timeoutMs } = config
  const verification = { settings, findTarget, keys, http, options, timeoutMs, log }
  return { http, keys, targets, options, verification }
}

async function startFanOut(
  context: Context,
  dispatcher: Dispatcher,
  sandbox: Sandbox,
): Promise<void> {
  const { db, bus, log, stack, measured, bodies, routes, routeErrors } = context
  const onCall = measured.functionCalled
  const decide = decideRoutes({ db, bodies, sandbox, routes, batchSize, onCall })
  const onFannedOut = measured.fannedOut
  const fanOut = createFanOut({ db, dispatcher, decide, routes, routeErrors, onFannedOut })
  const requestRun = createFanOutRuns(fanOut, maxFanOuts)
  const sweeps = {
    'sweep-fan-out': sweepFanOut(db, requestRun),
    'sweep-publish': sweepPublish(db, bus),
    replays: runReplays(db, () => dispatcher.poll()),
  }
  for (const [name, sweep] of Object.entries(sweeps))
    stack.use(runPeriodically({ everyMs: sweepEveryMs, log, name }, sweep))
  stack.use(await consumeHints(bus, requestRun))
}
