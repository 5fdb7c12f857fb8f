import { type Clock, monotonicClock, runPeriodically } from '@posthorn/flow'
import type { Lease } from '../store/lease.ts'
import { deleteDeadWorkers, deleteWorker, markStopping } from '../store/workers.ts'
import { LeasedShards, type ShardHolderOptions } from './leased-shards.ts'
import type { Config } from '../config.ts'
import { loginSeconds, mergeLogins } from './login-rate.ts'
import type { ShardAccounts } from './shard-accounts.ts'
import type { LoginRate } from './login-rate.ts'

export interface ShardHolder extends AsyncDisposable {
  leases(): ReadonlyMap<number, Lease>
  /**
   * Checks that this worker is not taking over accounts from other workers.
   * @throws Error while accounts are taken over
   */
  checkTakeover(): void
  /**
   * Claims or releases shards (groups of accounts) immediately instead of at the next claim
   * interval.
   */
  wake(): void
}

/**
 * Number of claims per claim interval while other workers release shards to this worker. Claims are
 * frequent, because commands for the accounts of a released shard wait until the shard is claimed.
 */
const takesPerInterval = 4

/**
 * Holds this worker's share of the shards (groups of accounts) by leases. Sends heartbeats, claims
 * shards, releases surplus shards, and stops all work after two missed heartbeats. Other workers
 * may claim the shards after three missed heartbeats.
 *
 * Before `whenConnected` resolves, this worker sends no heartbeat and claims no shards, so that the
 * other workers keep all accounts. Without RabbitMQ, a new worker receives neither commands nor
 * credentials.
 *
 * Disposal hands the shards off at the pace of the other workers, within `handoffMs`.
 */
export function holdShards(
  options: ShardHolderOptions,
  clock: Clock = monotonicClock,
): ShardHolder {
  const { db, worker, log, whenConnected } = options
  const { claimMs, heartbeatMs } = options.config
  const leased = new LeasedShards(options, clock)
  const takeover = new Takeover({
    shards: leased,
    loginRate: options.limits.loginRate,
    accounts: options.accounts,
    logins: options.config.logins,
    clock,
  })
  let nextTake: NodeJS.Timeout | undefined
  let wasConnected = false
  const loop = runPeriodically(
    { everyMs: Math.min(claimMs, heartbeatMs), log, name: 'shards' },
    async (signal) => {
      clearTimeout(nextTake)
      if (!wasConnected) await whenConnected(signal)
      wasConnected = true
      await leased.reconcile(signal)
      if (leased.isTaking && !signal.aborted)
        nextTake = setTimeout(() => loop.wake(), claimMs / takesPerInterval)
    },
  )
  const watchdog = setInterval(() => leased.stopIfExpired(), heartbeatMs / 4)
  const reaper = runPeriodically({ everyMs: 3_600_000, log, name: 'dead workers' }, () =>
    deleteDeadWorkers(db),
  )
  return {
    leases: () => leased.leases,
    checkTakeover: () => takeover.check(),
    wake: () => loop.wake(),
    async [Symbol.asyncDispose]() {
      await Promise.all([loop[Symbol.asyncDispose](), reaper[Symbol.asyncDispose]()])
      clearTimeout(nextTake)
      await markStopping(db, worker.id).catch((err: unknown) =>
        log.warn({ err }, 'announcing the shutdown failed'),
      )
      const shards = leased.leases.size
      await leased.handOff()
      log.info({ shards }, 'handed off shards')
      clearInterval(watchdog)
      await deleteWorker(db, worker.id).catch((err: unknown) =>
        log.warn({ err }, 'deleting the worker row failed'),
      )
    },
  }
}

export interface TakeoverOptions {
  shards: Pick<LeasedShards, 'isTaking'>
  /**
   * Number of live workers, which share the permitted logins per second of a mail server's host.
   */
  loginRate: Pick<LoginRate, 'workers'>
  accounts: Pick<ShardAccounts, 'listed' | 'logins' | 'moving'>
  logins: Pick<Config['logins'], 'perSecond' | 'concurrent'>
  clock?: Clock
}

/**
 * Tolerance for the end of a takeover of accounts: the logins of the accounts may take longer than
 * estimated by this factor and this time.
 */
const tolerance = 1.25
const toleranceMs = 30_000

/**
 * Takeover of accounts from other workers. Lasts from the first missing shard until each moved
 * account has tried to log in. A rolling update waits for the end of the takeover before it
 * replaces the next worker.
 */
export class Takeover {
  readonly #options: TakeoverOptions
  readonly #clock: Clock
  #startedAt: number | undefined
  #isOverdue = false

  constructor(options: TakeoverOptions) {
    this.#options = options
    this.#clock = options.clock ?? monotonicClock
  }

  /**
   * Checks whether the takeover of accounts from other workers is complete.
   * @throws Error while accounts are taken over, at most for the time that the rate limit of logins
   *   requires
   */
  check(): void {
    const { shards, accounts } = this.#options
    if (!shards.isTaking && accounts.listed && accounts.moving === 0) {
      this.#startedAt = undefined
      this.#isOverdue = false
      return
    }
    this.#startedAt ??= this.#clock()
    // An overdue takeover counts as complete, even if further accounts move to this worker.
    this.#isOverdue ||= this.#clock() - this.#startedAt >= this.#maxMs()
    if (this.#isOverdue) return
    if (shards.isTaking) throw new Error('this worker has fewer shards than its share')
    throw new Error(`${accounts.moving} moved accounts are not logged in`)
  }

  /** Maximum time that the logins of all accounts of this worker may take. */
  #maxMs(): number {
    const { loginRate, accounts, logins } = this.#options
    const counts = mergeLogins(accounts.logins().values())
    const seconds = loginSeconds(counts, loginRate.workers, logins)
    return seconds * 1_000 * tolerance + toleranceMs
  }
}
