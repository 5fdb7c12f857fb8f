import { type Clock, monotonicClock, runPeriodically } from '@posthorn/flow'
import type { Lease } from '../store/lease.ts'
import { deleteDeadWorkers, deleteWorker, markStopping } from '../store/shards.ts'
import { LeasedShards, type ShardHolderOptions } from './leased-shards.ts'
import { Takeover } from './takeover.ts'

export interface ShardHolder extends AsyncDisposable {
  leases(): ReadonlyMap<number, Lease>
  /** @throws Error while accounts are taken over from other workers */
  checkTakeover(): void
  /** Claims and releases immediately. */
  wake(): void
}

/**
 * Claims per claim interval while other workers release shards to this worker. Accounts of a
 * released shard have no session, and reads of these accounts wait.
 */
const takesPerInterval = 4

/**
 * Leases this worker's share of the shards: sends heartbeats, claims, releases surplus shards, and
 * stops all work after two missed heartbeats. Other workers may claim the shards after three.
 *
 * Disposal hands the shards off at the pace of the other workers, within `handoffMs`.
 */
export function holdShards(
  options: ShardHolderOptions,
  clock: Clock = monotonicClock,
): ShardHolder {
  const { db, worker, log } = options
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
  const loop = runPeriodically(
    { everyMs: Math.min(claimMs, heartbeatMs), log, name: 'shards' },
    async (signal) => {
      clearTimeout(nextTake)
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
