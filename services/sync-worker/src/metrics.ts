import type { Metrics } from '@posthorn/telemetry'

/** Metrics of this service. */
export interface WorkerMetrics {
  /** State change of an account; `undefined` before its session starts and after it ends. */
  accountState(from: string | undefined, to: string | undefined): void
  shardsHeld(count: number): void
  eventsRecorded(events: readonly { event: string }[]): void
  connections(change: 1 | -1): void
  /** Duration of a mailbox sync that compared more than counters. */
  mailboxSynced(seconds: number): void
  /** Duration of a sync pass of one account. */
  syncPassed(seconds: number): void
  /** Number of messages added to an index. */
  indexed(messages: number): void
  /** Outcome of a requested summary, and the time it took. */
  summarised(outcome: string, seconds: number): void
}

export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const accounts = metrics.gauge({
    name: 'accounts',
    help: 'Accounts of the leased shards, by state',
    labels: ['state'],
  })
  const shards = metrics.gauge({ name: 'shards_held', help: 'Shards leased by this worker' })
  const events = metrics.counter({
    name: 'events_recorded_total',
    help: 'Events stored together with the state they describe',
    labels: ['event'],
  })
  const connections = metrics.gauge({
    name: 'imap_connections',
    help: 'Authenticated connections to mail servers',
  })
  const mailboxSyncs = metrics.histogram({
    name: 'mailbox_sync_duration_seconds',
    help: 'Duration of mailbox syncs that compared more than counters',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
  })
  const passes = metrics.histogram({
    name: 'account_sync_duration_seconds',
    help: 'Duration of sync passes of an account',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900],
  })
  const messages = metrics.counter({
    name: 'messages_indexed_total',
    help: 'Messages added to mailbox indexes',
  })
  return {
    ...createSummaryMetrics(metrics),
    accountState(from, to) {
      if (from !== undefined) accounts.labels(from).dec()
      if (to !== undefined) accounts.labels(to).inc()
    },
    shardsHeld: (count) => shards.set(count),
    eventsRecorded(recorded) {
      for (const { event } of recorded) events.labels(event).inc()
    },
    connections: (change) => connections.inc(change),
    mailboxSynced: (seconds) => mailboxSyncs.observe(seconds),
    syncPassed: (seconds) => passes.observe(seconds),
    indexed: (count) => messages.inc(count),
  }
}

function createSummaryMetrics(metrics: Metrics): Pick<WorkerMetrics, 'summarised'> {
  const outcomes = metrics.counter({
    name: 'summaries_total',
    help: 'Requested summaries of new messages, by outcome',
    labels: ['outcome'],
  })
  const durations = metrics.histogram({
    name: 'summary_duration_seconds',
    help: 'Time a new message waited for its summary',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
  })
  return {
    summarised(outcome, seconds) {
      outcomes.inc({ outcome })
      if (seconds > 0) durations.observe(seconds)
    },
  }
}
