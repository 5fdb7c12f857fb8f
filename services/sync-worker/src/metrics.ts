import type { Metrics } from '@posthorn/telemetry'
import type { SummaryOutcome } from './summaries/summaries.ts'

/** What this service counts. */
export interface WorkerMetrics {
  /** An account that is held went from one state to another; `undefined`: was not, or is no longer, held. */
  accountState(from: string | undefined, to: string | undefined): void
  shardsHeld(count: number): void
  eventsRecorded(events: readonly { event: string }[]): void
  connections(change: 1 | -1): void
  /** A sync of one mailbox that looked further than its counters. */
  mailboxSynced(seconds: number): void
  /** A look at all mailboxes of one account, to its end. */
  syncPassed(seconds: number): void
  /** Messages remembered that were not before. */
  indexed(messages: number): void
  /** A summary was wanted: what came of it, and how long that took. */
  summarised(outcome: SummaryOutcome, seconds: number): void
}

export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const accounts = metrics.gauge({
    name: 'accounts',
    help: 'Accounts held, by state',
    labels: ['state'],
  })
  const shards = metrics.gauge({ name: 'shards_held', help: 'Shards this worker holds' })
  const events = metrics.counter({
    name: 'events_recorded_total',
    help: 'Events stored with the state they tell of',
    labels: ['event'],
  })
  const connections = metrics.gauge({
    name: 'imap_connections',
    help: 'Connections to mail servers that are logged in',
  })
  const syncs = metrics.histogram({
    name: 'mailbox_sync_duration_seconds',
    help: 'Syncs of a mailbox that looked further than its counters',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
  })
  const rounds = metrics.histogram({
    name: 'account_sync_duration_seconds',
    help: 'Looks at all mailboxes of an account',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900],
  })
  const messages = metrics.counter({
    name: 'messages_indexed_total',
    help: 'Messages remembered that were not before',
  })
  return {
    ...measureSummaries(metrics),
    accountState(from, to) {
      if (from !== undefined) accounts.labels(from).dec()
      if (to !== undefined) accounts.labels(to).inc()
    },
    shardsHeld: (count) => shards.set(count),
    eventsRecorded(recorded) {
      for (const { event } of recorded) events.labels(event).inc()
    },
    connections: (change) => connections.inc(change),
    mailboxSynced: (seconds) => syncs.observe(seconds),
    syncPassed: (seconds) => rounds.observe(seconds),
    indexed: (count) => messages.inc(count),
  }
}

function measureSummaries(metrics: Metrics): Pick<WorkerMetrics, 'summarised'> {
  const outcomes = metrics.counter({
    name: 'summaries_total',
    help: 'Summaries of new messages that were wanted, by what came of it',
    labels: ['outcome'],
  })
  const durations = metrics.histogram({
    name: 'summary_duration_seconds',
    help: 'How long a new message waited for its summary',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
  })
  return {
    summarised(outcome, seconds) {
      outcomes.inc({ outcome })
      if (seconds > 0) durations.observe(seconds)
    },
  }
}
