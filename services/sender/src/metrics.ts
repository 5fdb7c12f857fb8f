import type { MinuteCounter } from '@posthorn/db'
import type { Metrics } from '@posthorn/telemetry'

/** Sources of the gauges. */
export interface MetricSources {
  due: () => Promise<number>
  held: () => Promise<number>
  filings: () => Promise<number>
  paused: () => boolean
  minutes: MinuteCounter
}

/** Registers the metrics of the sender. */
export function senderMetrics(metrics: Metrics, sources: MetricSources) {
  const { due, held, filings, paused, minutes } = sources
  metrics.gauge({
    name: 'outbox_due',
    help: 'Submissions due and not in flight, up to 10,000',
    collect: due,
  })
  metrics.gauge({
    name: 'outbox_held',
    help: 'Submissions held by an operator, up to 10,000',
    collect: held,
  })
  metrics.gauge({
    name: 'outbox_paused',
    help: '1 while the submit queue is paused',
    collect: () => (paused() ? 1 : 0),
  })
  metrics.gauge({
    name: 'outbox_filings_due',
    help: 'Sent messages with pending mailbox work (copy, flag or draft), up to 10,000',
    collect: filings,
  })
  return {
    filings: metrics.counter({
      name: 'outbox_filings_total',
      help: 'Tries to file sent messages by result: filed, postponed, failed (permanently)',
      labels: ['result'],
    }),
    /** Counts per minute for the statistics of the API. */
    minutes,
    attempts: metrics.counter({
      name: 'submissions_attempts_total',
      help: 'Attempts by result: sent, failed, released (not counted), lost (lease taken over)',
      labels: ['result'],
    }),
    sent: metrics.counter({
      name: 'submissions_sent_total',
      help: 'Submissions accepted for all recipients',
    }),
    failed: metrics.counter({
      name: 'submissions_failed_total',
      help: 'Submissions failed permanently',
    }),
    duration: metrics.histogram({
      name: 'submission_attempt_duration_seconds',
      help: 'Time from the claim to the recorded outcome',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    }),
  }
}
