import type { Db } from '@posthorn/db'
import type { WorkerMetrics } from '../metrics.ts'
import {
  type ConnectionCount,
  saveConnections,
  saveSyncTimes,
  type SyncTime,
} from '../store/account-states.ts'
import type { AccountLease } from '../store/lease.ts'

// Counts of accounts' connections to mail servers, and sync times, change often. The loss of a
// change does little harm. Changes are collected in memory and stored periodically.

/** Maximum accounts per statement that stores connection counts or sync times. */
const batchSize = 1_000

/**
 * Counts the connections of each account to its mail server. Stores counts that changed since the
 * last write.
 */
export class ConnectionCounts {
  readonly #metrics: Pick<WorkerMetrics, 'connections'>
  readonly #counts = new Map<string, ConnectionCount>()
  #changed = new Set<string>()

  constructor(metrics: Pick<WorkerMetrics, 'connections'>) {
    this.#metrics = metrics
  }

  /**
   * Counts a connection of an account to its mail server. The returned function removes the
   * connection from the count again.
   */
  add(lease: AccountLease): () => void {
    this.#change(lease, 1)
    return () => this.#change(lease, -1)
  }

  async store(db: Db): Promise<void> {
    const changed = [...this.#changed].flatMap((account) => this.#counts.get(account) ?? [])
    this.#changed = new Set()
    for (const [account, { connections }] of this.#counts)
      if (connections === 0) this.#counts.delete(account)
    for (let at = 0; at < changed.length; at += batchSize)
      await saveConnections(db, changed.slice(at, at + batchSize))
  }

  #change(lease: AccountLease, change: 1 | -1): void {
    this.#metrics.connections(change)
    const connections = (this.#counts.get(lease.account)?.connections ?? 0) + change
    this.#counts.set(lease.account, { ...lease, connections })
    this.#changed.add(lease.account)
  }
}

/**
 * Collects the sync times of accounts whose status is otherwise unchanged. A crash loses the sync
 * times of at most one interval. The next sync pass of each account stores a new time.
 */
export class SyncTimes {
  readonly #pending = new Map<string, SyncTime>()

  add(lease: AccountLease, at: Date): void {
    this.#pending.set(lease.account, { ...lease, at })
  }

  async store(db: Db): Promise<void> {
    const pending = [...this.#pending.values()]
    for (let at = 0; at < pending.length; at += batchSize) {
      const batch = pending.slice(at, at + batchSize)
      await saveSyncTimes(db, batch)
      for (const time of batch)
        if (this.#pending.get(time.account) === time) this.#pending.delete(time.account)
    }
  }
}
