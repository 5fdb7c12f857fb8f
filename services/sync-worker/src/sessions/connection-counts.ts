import type { Db } from '@posthorn/db'
import { type ConnectionCount, saveConnections } from '../store/connections.ts'
import type { AccountLease } from '../store/lease.ts'

/** Accounts written in one statement. */
const batchSize = 1_000

/** How many connections each account has. Stored now and then: only what is another number than the last time. */
export class ConnectionCounts {
  readonly #counts = new Map<string, ConnectionCount>()
  #changed = new Set<string>()

  /** One more; one less when what is returned is called. */
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

  #change(lease: AccountLease, by: 1 | -1): void {
    const connections = (this.#counts.get(lease.account)?.connections ?? 0) + by
    this.#counts.set(lease.account, { ...lease, connections })
    this.#changed.add(lease.account)
  }
}
