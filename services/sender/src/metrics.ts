import type { Db, MinuteCounter } from '@posthorn/db'
import type { Metrics } from '@posthorn/telemetry'
import { countAwaitingSender, countRows, findOldestDueSeconds } from './store/maintenance.ts'
import type { LaneKeys } from './store/submission.ts'

export interface MetricSources {
  db: Db
  paused: () => boolean
  minutes: MinuteCounter
}

/** Registers the metrics of the sender. */
export function senderMetrics(metrics: Metrics, { db, paused, minutes }: MetricSources) {
  const gauge = (name: string, help: string, kind: Parameters<typeof countRows>[1]) =>
    metrics.gauge({ name, help, collect: () => countRows(db, kind) })
  gauge('outbox_due', 'Submissions due and not in flight, up to 10,000', 'due')
  gauge('outbox_held', 'Submissions held by an operator, up to 10,000', 'held')
  gauge('outbox_filings_due', 'Sent messages with pending mailbox work, up to 10,000', 'filing')
  metrics.gauge({
    name: 'outbox_awaiting_sender',
    help: 'Submissions past their lease that wait for their sender or its end, of the 10,000 oldest',
    collect: () => countAwaitingSender(db),
  })
  metrics.gauge({
    name: 'outbox_paused',
    help: '1 while the submit queue is paused',
    collect: () => (paused() ? 1 : 0),
  })
  return {
    filings: metrics.counter({
      name: 'outbox_filings_total',
      help: 'Tries to file sent messages by result: filed, postponed, failed (permanently)',
      labels: ['result'],
    }),
    /** Counts of sent and failed submissions per minute, for the statistics of the API. */
    minutes,
    attempts: metrics.counter({
      name: 'submissions_attempts_total',
      help: 'Attempts by result: sent, failed, released (not counted), lost (lease taken over)',
      labels: ['result'],
    }),
    sent: metrics.counter({ name: 'submissions_sent_total', help: 'Submissions accepted' }),
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

export interface DueAgeSources extends Pick<MetricSources, 'db' | 'paused'> {
  suspended: () => LaneKeys
}

/** Registers the gauge of the age of the oldest due submission, by which senders are scaled. */
export function registerDueAge(metrics: Metrics, { db, paused, suspended }: DueAgeSources): void {
  metrics.gauge({
    name: 'outbox_oldest_due_seconds',
    help: 'Age of the oldest due submission that may start; 0 if there is none or while paused',
    collect: () => (paused() ? 0 : findOldestDueSeconds(db, suspended())),
  })
}
