import type { MinuteCounter } from '@posthorn/db'
import type { Metrics } from '@posthorn/telemetry'
import type { AttemptMetrics } from './attempt/attempt.ts'
import type { CallOutcome } from './routes/decide.ts'

/** Addresses of webhook targets to which no calls are made. */
export interface BlockedTargets {
  suspended: () => readonly string[]
  paused: () => readonly string[]
}

export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function dispatcherMetrics(
  metrics: Metrics,
  { countDue, counter }: { countDue: () => Promise<number>; counter: MinuteCounter },
) {
  const webhooks = metrics.counter({
    name: 'webhooks_total',
    help: 'Attempts by outcome and event.',
    labels: ['result', 'event'],
  })
  const seconds = metrics.histogram({
    name: 'webhook_seconds',
    help: 'Duration of an attempt.',
    buckets,
  })
  const latency = metrics.histogram({
    name: 'webhook_first_attempt_delay_seconds',
    help: 'Time from the date of an event to its first attempt.',
    buckets,
  })
  const lag = metrics.histogram({
    name: 'event_fan_out_delay_seconds',
    help: 'Time from the date of an event to the commit of its deliveries.',
    buckets,
  })
  metrics.gauge({
    name: 'deliveries_due',
    help: 'Deliveries that are due or in flight, counted up to 10,000.',
    collect: countDue,
  })
  const attemptMetrics: AttemptMetrics = {
    attemptStarted({ attempts, eventDate }) {
      if (attempts === 1) latency.observe(secondsSince(eventDate))
    },
    attemptEnded(event, { outcome, durationMs }) {
      webhooks.inc({ result: outcome, event })
      seconds.observe(durationMs / 1000)
      // A webhook delivery attempt that a shutdown aborted counts neither as success nor as
      // failure.
      if (outcome !== 'aborted') counter.count(`webhooks:${outcome === '2xx' ? 'success' : 'fail'}`)
    },
  }
  return {
    functionCalled: functionMetrics(metrics),
    /** Registers the gauges of webhook targets to which no calls are made. */
    blockedTargets(targets: BlockedTargets) {
      metrics.gauge({
        name: 'webhook_targets_paused',
        help: 'Targets that are suspended.',
        collect: () => targets.suspended().length,
      })
      metrics.gauge({
        name: 'webhook_targets_paused_by_setting',
        help: 'Targets that the setting webhookTargets pauses.',
        collect: () => targets.paused().length,
      })
    },
    /**
     * Records the delay between the events and the insertion of their webhook deliveries. Called
     * after the transaction that inserted the deliveries (fan-out) was committed.
     */
    fannedOut: (events: readonly { eventDate: string }[]): void => {
      for (const { eventDate } of events) lag.observe(secondsSince(eventDate))
    },
    ...attemptMetrics,
  }
}

/**
 * Registers the gauge of the age of the oldest due delivery, by which the number of
 * webhook-dispatcher processes is scaled.
 */
export function registerDueAge(metrics: Metrics, seconds: () => number | Promise<number>): void {
  metrics.gauge({
    name: 'deliveries_oldest_due_seconds',
    help: 'Age of the oldest due delivery to a target that is neither suspended nor paused; 0 while the queue is paused.',
    collect: seconds,
  })
}

function secondsSince(date: string): number {
  return Math.max(0, Date.now() - Date.parse(date)) / 1000
}

/** Returns a function that records a due call of a webhook route's functions in the metrics. */
function functionMetrics(metrics: Metrics) {
  const calls = metrics.counter({
    name: 'route_function_calls_total',
    help: 'Due calls of the functions of routes, by outcome.',
    labels: ['outcome'],
  })
  const seconds = metrics.histogram({
    name: 'route_function_seconds',
    help: 'CPU time of such a call.',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
  })
  return (outcome: CallOutcome, cpuSeconds: number): void => {
    calls.inc({ outcome })
    if (outcome !== 'suspended') seconds.observe(cpuSeconds)
  }
}
