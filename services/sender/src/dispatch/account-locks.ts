import { randomUUID } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { type LockClaim, lockAccounts, renewLocks, unlockAccounts } from '../store/sending-locks.ts'

interface HeldLock {
  /** Latest submission or draft cleanup for which an account at a mail API was locked. */
  latest: LockClaim
  /** Queue ids of the submissions and draft cleanups that use the lock of an account. */
  users: Set<string>
}

/**
 * Locks of this sender on accounts at mail APIs. One lock serves all work of this process for an
 * account; the lock ends with its last user. If the process dies, the lock ends with its lease.
 */
export class AccountLocks implements AsyncDisposable {
  /** Id of this sender process, stored in the rows that the process has leased. */
  readonly worker = randomUUID()
  readonly #deps: { db: Db; log: Logger; leaseMs: number }
  readonly #held = new Map<string, HeldLock>()
  readonly #unlocking = new TaskGroup()

  constructor(deps: { db: Db; log: Logger; leaseMs: number }) {
    this.#deps = deps
  }

  /**
   * Locks an account at a mail API. Returns false if another sender has the lock, or if the account
   * is paused.
   */
  async tryLock(claim: LockClaim): Promise<boolean> {
    const { db, leaseMs } = this.#deps
    const locked = await lockAccounts(db, [claim], { worker: this.worker, leaseMs })
    if (locked.size === 0) return false
    this.add(claim)
    return true
  }

  /**
   * Adds a submission or draft cleanup as user of an account lock. The lock was taken
   * together with the claim of the outbox row.
   */
  add(claim: LockClaim): void {
    const { users } = this.#held.get(claim.account) ?? { users: new Set() }
    this.#held.set(claim.account, { latest: claim, users: users.add(claim.queueId) })
  }

  /**
   * Removes a submission or draft cleanup from the users of an account lock. Unlocks the account
   * after the last user, in the background.
   */
  remove({ account, queueId }: LockClaim): void {
    const held = this.#held.get(account)
    if (!held?.users.delete(queueId) || held.users.size > 0) return
    this.#held.delete(account)
    this.#unlocking.run(this.#unlock(held.latest))
  }

  async renew(): Promise<void> {
    const { db, leaseMs } = this.#deps
    const latest = Array.from(this.#held.values(), (held) => held.latest.queueId)
    await renewLocks(db, latest, { worker: this.worker, leaseMs })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#unlocking.drain()
  }

  async #unlock(claim: LockClaim): Promise<void> {
    const { db, log } = this.#deps
    await unlockAccounts(db, [claim], this.worker).catch((err: unknown) =>
      log.debug({ err, account: claim.account }, 'account not unlocked, its lease will expire'),
    )
  }
}
