import type { MinuteCounter } from '@posthorn/db'
import type { CallResult } from '@posthorn/net'
import type { Metrics } from '@posthorn/telemetry'
import type { CallOutcome } from './routes/decide.ts'
import type { ClaimedDelivery } from './store/deliveries.ts'

export interface DispatcherMetrics {
  /** Events whose deliveries are rows now. */
  fannedOut(events: readonly { date: string }[]): void
  began(delivery: ClaimedDelivery): void
  ended(event: string, call: CallResult): void
  /** A route's functions were asked about an event, or should have been. */
  called(outcome: CallOutcome, seconds: number): void
  /** Where to ask how many targets are left alone for a while. */
  pausedTargets(count: () => number): void
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function dispatcherMetrics(
  metrics: Metrics,
  { countDue, counter }: { countDue: () => Promise<number>; counter: MinuteCounter },
): DispatcherMetrics {
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
    help: 'From the date of an event to its first attempt.',
    buckets,
  })
  const lag = metrics.histogram({
    name: 'event_fan_out_delay_seconds',
    help: 'From the date of an event to the record of its deliveries.',
    buckets,
  })
  metrics.gauge({
    name: 'deliveries_due',
    help: 'Deliveries that wait, counted up to 10,000.',
    collect: countDue,
  })
  const { called } = functionMetrics(metrics)
  return {
    called,
    pausedTargets(count) {
      metrics.gauge({
        name: 'webhook_targets_paused',
        help: 'Targets that are left alone for a while.',
        collect: count,
      })
    },
    fannedOut(events) {
      const now = Date.now()
      for (const { date } of events) lag.observe(Math.max(0, now - Date.parse(date)) / 1000)
    },
    began({ attempts, eventDate }) {
      if (attempts === 1) latency.observe(Math.max(0, Date.now() - Date.parse(eventDate)) / 1000)
    },
    ended(event, { outcome, durationMs }) {
      webhooks.inc({ result: outcome, event })
      seconds.observe(durationMs / 1000)
      // Cut off by ourselves: neither.
      if (outcome !== 'aborted') counter.count(`webhooks:${outcome === '2xx' ? 'success' : 'fail'}`)
    },
  }
}

function functionMetrics(metrics: Metrics): Pick<DispatcherMetrics, 'called'> {
  const calls = metrics.counter({
    name: 'route_function_calls_total',
    help: 'Calls of the functions of a route for an event, by outcome.',
    labels: ['outcome'],
  })
  const seconds = metrics.histogram({
    name: 'route_function_seconds',
    help: 'Time of the processor that such a call took.',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
  })
  return {
    called(outcome, took) {
      calls.inc({ outcome })
      if (outcome !== 'left-alone') seconds.observe(took)
    },
  }
}
