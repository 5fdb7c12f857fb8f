import { type CommandHandler, on } from '@posthorn/bus'
import { apiAccountTypes } from '@posthorn/contracts/account-types'
import { changesNoticed } from '@posthorn/contracts/commands/notifications'
import { type PeriodicTask, runPeriodically, Semaphore, TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { CommitDeps } from '../events/commit.ts'
import { listApiWatches, saveNotificationTimes } from '../store/api/watches.ts'
import { AccountWatch, type WatchedAccount, type WatchHandle } from './account-watch.ts'
import { renewWatch } from './renew-watch.ts'
import type { WatchMetrics } from './watch-metrics.ts'

export interface WatchRegistryDeps {
  readonly commit: CommitDeps
  readonly metrics: WatchMetrics
  readonly log: Logger
  /**
   * Returns the current time for renewals of watches in epoch milliseconds. Default: the system's
   * clock.
   */
  readonly now?: () => number
}

/** Interval at which due renewals of watches (registrations for notifications) are started. */
const tickMs = 5_000
/** Interval at which the times of the mail providers' last notifications are stored. */
const storeMs = 60_000
/** Maximum accounts whose watches (registrations for notifications) one query loads. */
const maxLoaded = 1_000
/**
 * Maximum concurrent registrations for notifications. Each registration takes about three requests.
 */
const maxConcurrent = 10

/**
 * Registry of the watches (registrations for notifications) of this worker's accounts. Receives the
 * notifications of the watches, renews all watches with one timer, and removes a watch when the
 * session of its account ends.
 */
export class WatchRegistry implements AsyncDisposable {
  /**
   * Command handler that receives providers' notifications. Compares each notification with the
   * watches in memory, so that a flood of notifications causes no queries.
   */
  readonly handler: CommandHandler = on(changesNoticed, async ({ notices: notifications }) => {
    for (const notification of notifications) {
      const watch = this.#watches.get(notification.account)
      const outcome = watch?.receive(notification, this.#now()) ?? 'unknown'
      this.#deps.metrics.notified(outcome)
      const mayRenew = notification.kind !== 'changed' || notification.isOwn
      if (outcome === 'accepted' && mayRenew) this.#renewals.wake()
    }
    return {}
  })
  readonly #deps: WatchRegistryDeps
  readonly #now: () => number
  readonly #watches = new Map<string, AccountWatch>()
  /**
   * Lease epochs of accounts whose watches (registrations for notifications) were checked at the
   * provider, by account.
   */
  readonly #checked = new Map<string, string>()
  readonly #permits = new Semaphore(maxConcurrent)
  readonly #tasks = new TaskGroup()
  readonly #stop = new AbortController()
  readonly #renewals: PeriodicTask
  readonly #times: PeriodicTask

  constructor(deps: WatchRegistryDeps) {
    this.#deps = deps
    this.#now = deps.now ?? Date.now
    const { log } = deps
    this.#renewals = runPeriodically({ everyMs: tickMs, log, name: 'watches' }, () =>
      this.#renewDue(),
    )
    this.#times = runPeriodically({ everyMs: storeMs, log, name: 'notification times' }, () =>
      this.#storeTimes(),
    )
  }

  /**
   * Numbers of accounts with an active watch (registration for notifications), and of other
   * accounts.
   */
  count(): { active: number; inactive: number } {
    const now = this.#now()
    const active = [...this.#watches.values()].filter((watch) => watch.isActive(now)).length
    return { active, inactive: this.#watches.size - active }
  }

  /**
   * Adds an account to the registry of watches (registrations for notifications). The watch of the
   * account is registered or renewed from now on. If the account was added before under the same
   * lease, the earlier watch continues.
   */
  add(account: WatchedAccount): WatchHandle {
    const { account: id, epoch } = account.lease
    const earlier = this.#watches.get(id)
    const isContinued = earlier?.account.lease.epoch === epoch
    if (!isContinued) earlier?.close()
    const watch = isContinued ? earlier : new AccountWatch(account, this.#now())
    if (isContinued) watch.resume(account, this.#now())
    this.#watches.set(id, watch)
    this.#renewals.wake()
    const isActive = () => watch.isActive(this.#now())
    return {
      get isActive() {
        return isActive()
      },
      get isRefused() {
        return watch.isRefused
      },
      get remoteId() {
        return watch.row?.remoteId || undefined
      },
      reportUnannounced: (changedAt) => {
        watch.reportUnannounced(changedAt, this.#now())
        this.#renewals.wake()
      },
      pause: () => watch.pause(account),
      [Symbol.dispose]: () => {
        if (watch.account !== account) return
        watch.close()
        if (this.#watches.get(id) === watch) this.#watches.delete(id)
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#renewals[Symbol.asyncDispose]()
    await this.#tasks.drain()
    await this.#times[Symbol.asyncDispose]()
    for (const watch of this.#watches.values()) watch.close()
  }

  async #renewDue(): Promise<void> {
    await this.#load()
    const now = this.#now()
    for (const watch of this.#watches.values()) {
      if (watch.row === undefined || watch.renewAt > now) continue
      if (watch.isRenewing || watch.isPaused) continue
      watch.isRenewing = true
      this.#tasks.run(this.#renew(watch).finally(() => (watch.isRenewing = false)))
    }
  }

  /**
   * Loads the stored watches (registrations for notifications) of new accounts. A failed load is
   * repeated at the next timer tick.
   */
  async #load(): Promise<void> {
    const missing = [...this.#watches.values()].filter(({ row }) => row === undefined)
    for (let at = 0; at < missing.length; at += maxLoaded) {
      const part = missing.slice(at, at + maxLoaded)
      const accounts = part.map(({ account }) => account.lease.account)
      const rows = await listApiWatches(this.#deps.commit.db, accounts)
      for (const watch of part) {
        watch.row = rows.get(watch.account.lease.account) ?? null
        if (!this.#mustCheck(watch)) watch.renewAt = watch.row?.renewAt.getTime() ?? watch.renewAt
      }
    }
  }

  /**
   * True if this worker, as the new holder of the account's shard, must check an active watch
   * (registration for notifications) at the provider. True only once per lease. The check is a
   * renewal of the watch, which also stops unknown watches, creates a silently removed watch again,
   * and reopens a connection on which an earlier holder of the shard listened.
   */
  #mustCheck({ account: { lease, provider }, row }: AccountWatch): boolean {
    if (!apiAccountTypes[provider].notifications.isCheckedByHolder) return false
    const isChecked = this.#checked.get(lease.account) === lease.epoch
    this.#checked.set(lease.account, lease.epoch)
    return !isChecked && row?.state === 'active'
  }

  async #renew(watch: AccountWatch): Promise<void> {
    using _permit = await this.#permits.acquire(this.#stop.signal)
    const { commit, metrics } = this.#deps
    const { account } = watch
    const isCurrent = () =>
      this.#watches.get(account.lease.account) === watch &&
      watch.account === account &&
      !watch.isPaused
    if (isCurrent())
      await renewWatch({ commit, metrics, now: this.#now, isCurrent }, watch, this.#stop.signal)
  }

  async #storeTimes(): Promise<void> {
    const notified = [...this.#watches.values()].flatMap((watch) => {
      const { notifiedAt: at, row } = watch
      const isStored = !at || row?.lastNotifiedAt?.getTime() === at.getTime()
      return isStored || !row ? [] : [{ ...watch.account.lease, at, row }]
    })
    await saveNotificationTimes(this.#deps.commit.db, notified)
    for (const { row, at } of notified) row.lastNotifiedAt = at
  }
}
