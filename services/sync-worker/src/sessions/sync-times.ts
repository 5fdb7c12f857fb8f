import type { Db } from '@posthorn/db'
import type { AccountLease } from '../store/lease.ts'
import { saveSyncTimes, type SyncTime } from '../store/account-states.ts'

/** Accounts written in one statement. */
const batchSize = 1_000

/**
 * When accounts were synced that are as they were otherwise. Stored now and then, all together; what a crash takes along the next sync
 * makes good.
 */
export class SyncTimes {
  readonly #due = new Map<string, SyncTime>()

  add(lease: AccountLease, at: Date): void {
    this.#due.set(lease.account, { ...lease, at })
  }

  async store(db: Db): Promise<void> {
    const due = [...this.#due.values()]
    for (let from = 0; from < due.length; from += batchSize) {
      const batch = due.slice(from, from + batchSize)
      await saveSyncTimes(db, batch)
      for (const time of batch)
        if (this.#due.get(time.account) === time) this.#due.delete(time.account)
    }
  }
}
