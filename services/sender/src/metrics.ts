import type { MinuteCounter } from '@posthorn/db'
import type { Metrics } from '@posthorn/telemetry'

/** What the sender counts. */
export function senderMetrics(
  metrics: Metrics,
  { due, minutes }: { due: () => Promise<number>; minutes: MinuteCounter },
) {
  metrics.gauge({
    name: 'outbox_due',
    help: 'Messages due and not in hand, counted up to 10,000',
    collect: due,
  })
  return {
    /** What the statistics of the API look back on. */
    minutes,
    attempts: metrics.counter({
      name: 'submissions_attempts_total',
      help: 'Attempts by result: sent, failed, released (not attempted after all), lost (taken over by another sender)',
      labels: ['result'],
    }),
    sent: metrics.counter({ name: 'submissions_sent_total', help: 'Messages a server took' }),
    failed: metrics.counter({ name: 'submissions_failed_total', help: 'Messages given up' }),
    duration: metrics.histogram({
      name: 'submission_attempt_duration_seconds',
      help: 'From the claim to the record of the outcome',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    }),
  }
}
