import { randomUUID } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { getServiceSecret } from '@posthorn/contracts'
import { cacheSettings, countMinutes, type Db, type SettingsCache } from '@posthorn/db'
import { createHttpCaller, proxyOfSettings } from '@posthorn/net'
import { Sandbox } from '@posthorn/sandbox'
import { runPeriodically } from '@posthorn/flow'
import { bootstrap, watchQueuePause } from '@posthorn/service'
import { createHeaderUnsealer, createLoginUnsealer, type UnsealLogin } from '@posthorn/unseal'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { Config, WebhookConfig } from './config.ts'
import { createClaimLock } from './dispatch/claim-lock.ts'
import { createAttemptCounter } from './attempt/attempt-counter.ts'
import { createAttempts } from './attempt/attempt.ts'
import { createTargetThrottle } from './dispatch/target-throttle.ts'
import {
  createInFlightDeliveries,
  type InFlightDeliveries,
} from './dispatch/in-flight-deliveries.ts'
import { replay } from './dispatch/replay.ts'
import { type DuePoller, startDuePoller } from './dispatch/due-poller.ts'
import { cacheSigningKeys } from './attempt/signing-keys.ts'
import type { SigningKeys } from './attempt/signature.ts'
import { coalesce } from './events/coalesce.ts'
import { batchSize, fanOut } from './events/fan-out.ts'
import { consumeHints } from './events/hints.ts'
import { sweepFanOut, sweepPublish } from './events/sweep.ts'
import { runRetention } from './retention.ts'
import { type DispatcherMetrics, dispatcherMetrics } from './metrics.ts'
import { decideRoutes } from './routes/decide.ts'
import { type RouteCache, cacheRoutes } from './routes/route-cache.ts'
import { startRouteErrorLog, type RouteErrorLog } from './routes/route-error-log.ts'
import { countDue } from './store/deliveries.ts'
import { createTargets } from './targets/current-target.ts'
import { targetOptions } from './targets/options.ts'
import { laneOf } from './targets/target.ts'

const name = 'webhook-dispatcher'

export interface App extends AsyncDisposable {
  /** Of health and metrics. */
  readonly port: number
}

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<App> {
  await using opened = new AsyncDisposableStack()
  const { log, metrics, db, bus, port } = await bootstrap(opened, { name, config, signal })
  opened.use(await startDispatching({ db, bus, log, metrics, config: config.webhooks }))
  const app = opened.move()
  return { port, [Symbol.asyncDispose]: () => app.disposeAsync() }
}

export interface DispatchingDeps {
  db: Db
  bus: Bus
  log: Logger
  metrics: Metrics
  config: WebhookConfig
}

/** How many partitions are fanned out at the same time: each takes a connection to Postgres. */
const fanOutWidth = 4
const sweepEveryMs = 1_000
const hourMs = 3_600_000

/** Everything between the events and their targets. Disposing stops taking, ends what is in hand, gives the rest back. */
export async function startDispatching({
  db,
  bus,
  log,
  metrics,
  config,
}: DispatchingDeps): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  opened.use(
    runPeriodically({ everyMs: hourMs, log, name: 'housekeeping' }, runRetention(db, config, log)),
  )
  const counter = opened.use(
    countMinutes(db, { onError: (err) => log.debug({ err }, 'counts wait for Postgres') }),
  )
  const measured = dispatcherMetrics(metrics, { countDue: () => countDue(db, maxCounted), counter })
  let goOn = () => undefined as void
  const queue = opened.use(
    await watchQueuePause({ db, bus, log, queue: 'notify', onChange: () => goOn() }),
  )
  const paused = () => queue.paused
  const routes = cacheRoutes(db)
  const notes = opened.use(startRouteErrorLog(db, log))
  const sandbox = opened.use(new Sandbox())
  const delivery = { db, bus, log, metrics: measured, config, paused, routes, notes }
  const { inHand, retries, claim, claims } = await startDelivery(delivery, opened)
  goOn = () => {
    inHand.resume()
    retries.pollIn(0)
  }

  const called: DispatcherMetrics['called'] = (...call) => measured.called(...call)
  const requestRun = coalesce(
    fanOut({
      db,
      claim,
      capacity: (lane) => (retries.isBacklogged(lane) ? 0 : inHand.capacity(lane)),
      enqueue: (deliveries) => inHand.enqueue(deliveries),
      claims,
      fannedOut: (events) => measured.fannedOut(events),
      overflowed(lane) {
        retries.markBacklogged(lane)
        retries.pollIn(0)
      },
      routes: {
        decide: decideRoutes({ db, sandbox, routes: routes, batchSize, called }),
        refresh: () => routes.refresh(),
        failed: (failures) => notes.recordFailures(failures),
      },
    }),
    fanOutWidth,
  )
  const sweep = sweepWith(opened, log)
  sweep('sweep-fan-out', sweepFanOut(db, requestRun))
  sweep('sweep-publish', sweepPublish(db, bus))
  sweep(
    'replays',
    replay(db, () => retries.pollIn(0)),
  )
  opened.use(await consumeHints(bus, requestRun))
  return opened.move()
}

/** Starter of periodic tasks that run every `sweepEveryMs` until the stack is disposed. */
function sweepWith(stack: AsyncDisposableStack, log: DispatchingDeps['log']) {
  return (name: string, task: Parameters<typeof runPeriodically>[1]) =>
    stack.use(runPeriodically({ everyMs: sweepEveryMs, log, name }, task))
}

interface DeliveryDeps extends Omit<DispatchingDeps, 'metrics'> {
  metrics: DispatcherMetrics
  /** Nothing is to be started. */
  paused: () => boolean
  routes: RouteCache
  notes: RouteErrorLog
}

async function startDelivery(deps: DeliveryDeps, opened: AsyncDisposableStack) {
  const { db, log, metrics, config, paused, notes } = deps
  const claim = { id: randomUUID(), leaseMs: config.leaseMs }
  const openLogin = createLoginUnsealer(deps.bus)
  const { settings, targets, options, gate, secret } = await startTargets(
    { ...deps, openLogin },
    opened,
  )
  const http = opened.use(createCaller(config, { settings, openLogin }))
  const claims = createClaimLock()
  const counter = createAttemptCounter({ db, claim, log })
  const attempt = createAttempts({
    db,
    counter,
    http,
    secret,
    targets,
    options,
    retryBaseMs: config.retryBaseMs,
    metrics,
    log,
  })
  const inHand: InFlightDeliveries = opened.use(
    createInFlightDeliveries({
      ...config,
      db,
      claim,
      claims,
      counter,
      throttle: gate,
      async deliver(delivery, signal) {
        const result = await attempt(delivery, signal)
        notes.recordAttempt(delivery, result)
        return result
      },
      paused,
      dueIn: (ms) => retries.pollIn(ms),
      onCapacity: (lane) => retries.onCapacity(lane),
      log,
    }),
  )
  const retries: DuePoller = opened.use(
    startDuePoller({
      db,
      claim,
      claims,
      capacities: () => inHand.capacities(),
      defaultCapacity: () => inHand.capacity(''),
      enqueue: (deliveries) => inHand.enqueue(deliveries),
      paused,
      log,
    }),
  )
  return { inHand, retries, claim, claims }
}

function createCaller(
  config: WebhookConfig,
  { settings, openLogin }: { settings: SettingsCache; openLogin: UnsealLogin },
) {
  return createHttpCaller({
    policy: config.egressPolicy,
    client: 'node',
    timeoutMs: config.timeoutMs,
    maxResponseBytes,
    maxSockets: config.concurrency,
    proxy: proxyOfSettings(() => settings.get(), {
      egress: config.proxyEgressPolicy,
      otherwise: config.proxy,
      open: openLogin,
    }),
  })
}

/** What is known of targets: where they are, how they are called and signed for, and whether they answer. */
async function startTargets(
  deps: DeliveryDeps & { openLogin: UnsealLogin },
  opened: AsyncDisposableStack,
) {
  const { db, bus, log, metrics, config, routes, openLogin } = deps
  const settings = cacheSettings(db)
  const openHeader = createHeaderUnsealer(bus)
  const targets = createTargets({ db, settings, routes, openLogin, openHeader })
  const options = targetOptions(settings, { concurrency: config.targetConcurrency })
  const refresh = () => options.refresh()
  opened.use(runPeriodically({ everyMs: sweepEveryMs, log, name: 'target-options' }, refresh))
  const gate = createTargetThrottle({ optionsOf: (lane) => options.of(lane), ...pausesOf(config) })
  metrics.pausedTargets(() => gate.suspended().length)
  const secret = cacheSigningKeys({ fetch: () => askSigningKeys(bus), log })
  opened.use(
    await bus.onInvalidate(({ topic, id }) => {
      if (topic === 'accounts') targets.invalidate(id)
      if (topic === 'routes') routes.invalidate()
      if (topic !== 'settings') return
      settings.invalidate()
      secret.invalidate()
      refresh().catch((err: unknown) => log.debug({ err }, 'settings wait for Postgres'))
    }),
  )
  return { settings, targets, options, gate, secret }
}

/** A target that does not answer is left alone for as long as a delivery waits at first, and for six times that at most. */
function pausesOf({ retryBaseMs }: WebhookConfig) {
  return { pauseMs: retryBaseMs, maxPauseMs: 6 * retryBaseMs }
}

/** Read of an answer: enough to tell a person what the target said. */
const maxResponseBytes = 16_384
const maxCounted = 10_000

async function askSigningKeys(bus: Bus): Promise<SigningKeys> {
  const {
    serviceSecret,
    previous = [],
    targets = [],
  } = await bus.request(getServiceSecret, {}, { key: 'credentials', timeoutMs: 5_000 })
  return {
    serviceSecret,
    previous: previous.map((key) => ({ ...key, until: new Date(key.until) })),
    targets: new Map(targets.map(({ target, secret }) => [laneOf({ url: target }), secret])),
  }
}
