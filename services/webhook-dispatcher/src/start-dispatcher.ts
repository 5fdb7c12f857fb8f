import { randomUUID } from 'node:crypto'
import type { ServiceContext } from '@posthorn/service/bootstrap'
import { watchQueuePause } from '@posthorn/service/queue-pause'
import { type AttemptDelivery, createAttempts } from './attempt/attempt.ts'
import { AttemptRecorder } from './attempt/recorder.ts'
import { onVerifyWebhook } from './attempt/verify-webhook.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { TargetThrottle } from './dispatch/target-throttle.ts'
import { type DispatcherMetrics, registerDueAge } from './metrics.ts'
import type { RouteErrorLog } from './routes/route-error-log.ts'
import { startTargetCalls, type TargetCallsContext } from './start-target-calls.ts'
import type { BodyMemory } from './store/bodies.ts'
import { findOldestDueSeconds } from './store/due-deliveries.ts'

/** Clients, configuration and metrics with which the dispatcher makes webhook deliveries. */
export interface DispatcherContext extends TargetCallsContext, Pick<ServiceContext, 'metrics'> {
  /** Returns the milliseconds that running attempts have left at a shutdown. */
  closeTimeoutMs: () => number
  measured: DispatcherMetrics
  bodies: BodyMemory
  routeErrors: RouteErrorLog
}

/**
 * Starts the dispatcher, which claims webhook deliveries and schedules their attempts. Also answers
 * the commands that test a webhook target.
 */
export async function startDispatcher(context: DispatcherContext): Promise<Dispatcher> {
  const { db, bus, log, stack, config, closeTimeoutMs, measured, routeErrors } = context
  const { options, verification, ...targetCalls } = await startTargetCalls(context)
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
    ...targetCalls,
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
