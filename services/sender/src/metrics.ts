import type { MinuteCounter } from '@posthorn/db'
import type { Metrics } from '@posthorn/telemetry'

/** What gauges ask for. */
export interface Measured {
  due: () => Promise<number>
  held: () => Promise<number>
  filings: () => Promise<number>
  paused: () => boolean
  minutes: MinuteCounter
}

/** What the sender counts. */
export function senderMetrics(metrics: Metrics, { due, held, filings, paused, minutes }: Measured) {
  metrics.gauge({
    name: 'outbox_due',
    help: 'Messages due and not in hand, counted up to 10,000',
    collect: due,
  })
  metrics.gauge({
    name: 'outbox_held',
    help: 'Messages held back one by one, counted up to 10,000',
    collect: held,
  })
  metrics.gauge({
    name: 'outbox_paused',
    help: '1 while the queue of messages to send is paused',
    collect: () => (paused() ? 1 : 0),
  })
  metrics.gauge({
    name: 'outbox_filings_due',
    help: 'Sent messages that wait for their copy, flag or draft to be seen to, counted up to 10,000',
    collect: filings,
  })
  return {
    filings: metrics.counter({
      name: 'outbox_filings_total',
      help: 'Tries to file sent messages by result: filed, postponed, failed (given up)',
      labels: ['result'],
    }),
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
