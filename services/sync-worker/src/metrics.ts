import type { Metrics } from '@posthorn/telemetry'
import { residentBytes } from './shards/process-memory.ts'

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

/** Creates the metrics of sync-worker. */
export function createWorkerMetrics(metrics: Metrics) {
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
  const refusing = metrics.gauge({
    name: 'sync_worker_refusing_shards',
    help: '1 while this worker has no memory for further shards',
  })
  return {
    ...createSummaryMetrics(metrics),
    ...createOmissionMetrics(metrics),
    refusingShards: (value: 0 | 1) => refusing.set(value),
    /**
     * Moves an account from one state to another in the count of accounts per state. A state is
     * `undefined` before the account's session starts and after the session ends.
     */
    accountState(from: string | undefined, to: string | undefined) {
      if (from !== undefined) accounts.labels(from).dec()
      if (to !== undefined) accounts.labels(to).inc()
    },
    shardsHeld: (count: number) => shards.set(count),
    eventsRecorded(recorded: readonly { event: string }[]) {
      for (const { event } of recorded) events.labels(event).inc()
    },
    connections: (change: 1 | -1) => connections.inc(change),
    mailboxSynced: (seconds: number) => mailboxSyncs.observe(seconds),
    syncPassed: (seconds: number) => passes.observe(seconds),
    indexed: (count: number) => messages.inc(count),
  }
}

interface LoadSources {
  accounts: () => number
  limitBytes: number
  bytesPerAccount: () => number
  capacity: () => number
  unclaimedAccounts: () => Promise<number>
}

/** Registers the metrics that autoscaling uses to choose the number of workers. */
export function registerLoadMetrics(
  metrics: Metrics,
  { accounts, limitBytes, bytesPerAccount, capacity, unclaimedAccounts }: LoadSources,
): void {
  metrics.gauge({
    name: 'sync_worker_accounts',
    help: 'Accounts of the leased shards, in any state',
    collect: accounts,
  })
  metrics.gauge({
    name: 'sync_worker_memory_bytes',
    help: 'Resident memory of this process and its message readers',
    collect: residentBytes,
  })
  const limit = metrics.gauge({
    name: 'sync_worker_memory_limit_bytes',
    help: 'Memory limit of the container; without one, of the heap',
  })
  limit.set(limitBytes)
  metrics.gauge({
    name: 'sync_worker_account_bytes',
    help: 'Memory per account that this worker plans with, measured while it runs',
    collect: bytesPerAccount,
  })
  metrics.gauge({
    name: 'sync_worker_account_capacity',
    help: 'Accounts that this worker has memory for beside its present ones',
    collect: capacity,
  })
  metrics.gauge({
    name: 'accounts_unclaimed',
    help: 'Accounts of shards that no worker holds, counted up to 10,000',
    collect: unclaimedAccounts,
  })
}

function createOmissionMetrics(metrics: Metrics) {
  const refused = metrics.counter({
    name: 'refused_contents_total',
    help: 'Contents that the provider of an account refused, and that events lack, by part',
    labels: ['part'],
  })
  const folders = metrics.counter({
    name: 'refused_folders_total',
    help: 'Attempts to read a folder at a mail API that the provider refused, by failure',
    labels: ['failure'],
  })
  const unreadable = metrics.counter({
    name: 'unreadable_messages_total',
    help: 'Messages of a folder at a mail API that the provider could not list, each time',
  })
  const cursors = metrics.counter({
    name: 'lost_cursors_total',
    help: 'Full lists at a mail API because the changes since the last sync are expired or damaged, by reason',
    labels: ['reason'],
  })
  const lists = metrics.counter({
    name: 'incomplete_lists_total',
    help: 'Full lists of mailboxes at a mail API that were shorter than the profile says, or lacked more than 500 indexed messages, labels or flags',
  })
  const shortLists = metrics.counter({
    name: 'short_mailbox_lists_total',
    help: 'Times that the lists of an IMAP mailbox became shorter than the number of messages that the server reports',
  })
  const repairs = metrics.counter({
    name: 'index_repairs_total',
    help: 'Monthly comparisons of message indexes with a list of the mailbox, by outcome',
    labels: ['outcome'],
  })
  const repaired = metrics.counter({
    name: 'repaired_messages_total',
    help: 'Messages whose state in the index differed from the mailbox at a monthly comparison',
  })
  const incomplete = metrics.counter({
    name: 'messages_incomplete_total',
    help: 'New messages that the mail server describes in part or not at all, by reason',
    labels: ['reason'],
  })
  return {
    /** Counts a new message that the mail server describes only in part, or not at all. */
    incomplete: (reason: 'refused' | 'truncated') => incomplete.labels(reason).inc(),
    messagesUnreadable: (count: number) => unreadable.inc(count),
    /**
     * Counts a lost cursor (position in a mail API's list of changes): the changes after the cursor
     * cannot be read any more.
     */
    cursorLost: (reason: 'expired' | 'damaged') => cursors.labels(reason).inc(),
    listIncomplete: () => lists.inc(),
    mailboxListShort: () => shortLists.inc(),
    indexRepaired: (outcome: string, count: number) => {
      repairs.labels(outcome).inc()
      repaired.inc(count)
    },
    folderRefused: (failure: string) => folders.labels(failure).inc(),
    contentRefused: (part: string) => refused.labels(part).inc(),
  }
}

function createSummaryMetrics(metrics: Metrics) {
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
    /**
     * Counts the outcome of a request for a message summary, and measures the duration of the
     * request.
     */
    summarised(outcome: string, seconds: number) {
      outcomes.inc({ outcome })
      if (seconds > 0) durations.observe(seconds)
    },
  }
}
