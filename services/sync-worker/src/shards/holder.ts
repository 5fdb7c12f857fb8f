import { performance } from 'node:perf_hooks'
import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { WorkerMetrics } from '../metrics.ts'
import type { Lease } from '../store/lease.ts'
import {
  claimShards,
  countWorkers,
  deleteDeadWorkers,
  deleteWorker,
  listShardsOf,
  markStopping,
  releaseOrphaned,
  releaseShard,
  saveHeartbeat,
} from '../store/shards.ts'
import { balance } from './fair-share.ts'

/** Starts and stops the work on shards. */
export interface ShardObserver {
  /** Called when this worker has leased shards. */
  claimed(leases: readonly Lease[]): Promise<void>
  /** Stops all work on shards, which are lost already, or released when this resolves. */
  released(shards: readonly number[]): Promise<void>
}

export interface ShardHolderOptions {
  db: Db
  worker: string
  /** Secret of this worker; its hash is stored to authenticate credential requests. */
  proof?: string
  log: Logger
  observer: ShardObserver
  metrics: Pick<WorkerMetrics, 'shardsHeld'>
  heartbeatMs: number
  /** Interval of claims and releases. */
  claimMs: number
  /** Monotonic clock in milliseconds. Default: `performance.now`. */
  now?: () => number
}

export interface ShardHolder extends AsyncDisposable {
  leases(): ReadonlyMap<number, Lease>
  /** Claims and releases immediately. */
  wake(): void
}

/** Concurrent handoffs at shutdown. A server that does not answer LOGOUT delays up to 64 shards. */
const maxHandoffs = 64

/**
 * Leases this worker's share of the shards: sends heartbeats, claims, releases surplus shards, and
 * stops all work after two missed heartbeats. Other workers may claim the shards after three.
 *
 * Disposal hands the shards off one by one, so that the next holder has each within a second.
 */
export function holdShards(options: ShardHolderOptions): ShardHolder {
  const { db, worker, log, claimMs, heartbeatMs } = options
  const leased = new LeasedShards(options)
  const loop = runPeriodically(
    { everyMs: Math.min(claimMs, heartbeatMs), log, name: 'shards' },
    (signal) => leased.reconcile(signal),
  )
  const watchdog = setInterval(() => leased.stopIfExpired(), heartbeatMs / 4)
  const reaper = runPeriodically({ everyMs: 3_600_000, log, name: 'dead workers' }, () =>
    deleteDeadWorkers(db),
  )
  return {
    leases: () => leased.leases,
    wake: () => loop.wake(),
    async [Symbol.asyncDispose]() {
      await Promise.all([loop[Symbol.asyncDispose](), reaper[Symbol.asyncDispose]()])
      await markStopping(db, worker).catch((err: unknown) =>
        log.warn({ err }, 'announcing the shutdown failed'),
      )
      const shards = leased.leases.size
      await leased.handOff()
      log.info({ shards }, 'handed off shards')
      clearInterval(watchdog)
      await deleteWorker(db, worker).catch((err: unknown) =>
        log.warn({ err }, 'deleting the worker row failed'),
      )
    },
  }
}

class LeasedShards {
  readonly leases = new Map<number, Lease>()
  readonly #options: ShardHolderOptions
  readonly #now: () => number
  /** Time at which the last successful heartbeat was sent. */
  #heartbeatAt = -Infinity
  /** End of the work on expired shards. Nothing is claimed before. */
  #stopping: Promise<void> | undefined

  constructor(options: ShardHolderOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Sends a heartbeat if due, then moves towards the fair share. */
  async reconcile(signal: AbortSignal): Promise<void> {
    const { db, worker, heartbeatMs, log } = this.#options
    if (this.#now() - this.#heartbeatAt >= heartbeatMs) await this.#sendHeartbeat()
    if (this.#stopping) return
    const stored = await listShardsOf(db, worker)
    await this.#dropLost(stored)
    if (signal.aborted || this.#stopping) return
    // A failed heartbeat or handoff leaves shards that only the table assigns to this worker. No
    // other worker may claim them while this one is alive.
    if (stored.some(({ shard }) => !this.leases.has(shard)))
      await releaseOrphaned(db, { worker, active: [...this.leases.keys()] })
    const workers = await countWorkers(db, 3 * heartbeatMs)
    const { claim, release } = balance([...this.leases.keys()], workers)
    if (release.length > 0) {
      const shards = this.leases.size
      log.info({ release: release.length, shards }, 'releasing surplus shards')
      await this.#release(release)
    } else if (claim > 0 && !signal.aborted) await this.#claim(claim)
  }

  /**
   * Stops all work when other workers may consider this one dead. Depends on the clock only,
   * because Postgres may be unavailable.
   */
  stopIfExpired(): void {
    if (this.leases.size === 0 || this.#isAlive()) return
    const expired = [...this.leases.keys()]
    this.#options.log.warn({ shards: expired.length }, 'heartbeat failed, pausing shards')
    this.leases.clear()
    this.#updateMetric()
    const before = this.#stopping
    const released = this.#options.observer.released(expired)
    const stopping = Promise.allSettled([before, released]).then(() => {
      if (this.#stopping === stopping) this.#stopping = undefined
    })
    this.#stopping = stopping
  }

  /** Releases all shards, each as soon as its sessions have ended. */
  async handOff(): Promise<void> {
    await this.#stopping
    const pending = [...this.leases.keys()]
    const releaseNext = async () => {
      for (let shard = pending.pop(); shard !== undefined; shard = pending.pop())
        await this.#release([shard])
    }
    await Promise.allSettled(Array.from({ length: maxHandoffs }, releaseNext))
  }

  #updateMetric(): void {
    this.#options.metrics.shardsHeld(this.leases.size)
  }

  async #sendHeartbeat(): Promise<void> {
    const sentAt = this.#now()
    await saveHeartbeat(this.#options.db, this.#options.worker, this.#options.proof)
    this.#heartbeatAt = sentAt
  }

  #isAlive(): boolean {
    return this.#now() - this.#heartbeatAt < 2 * this.#options.heartbeatMs
  }

  /** Stops work on shards that another worker claimed or whose epoch was raised. */
  async #dropLost(stored: readonly Lease[]): Promise<void> {
    const epochs = new Map(stored.map(({ shard, epoch }) => [shard, epoch]))
    const lost = [...this.leases.values()].filter(({ shard, epoch }) => epochs.get(shard) !== epoch)
    if (lost.length === 0) return
    const shards = lost.map(({ shard }) => shard)
    this.#options.log.warn({ shards }, 'shards lost to another worker')
    for (const shard of shards) this.leases.delete(shard)
    this.#updateMetric()
    await this.#options.observer.released(shards)
  }

  async #claim(limit: number): Promise<void> {
    const { db, worker, heartbeatMs, observer, log } = this.#options
    const leases = await claimShards(db, {
      worker,
      limit,
      active: [...this.leases.keys()],
      expiryMs: 3 * heartbeatMs,
    })
    // If this process stood still meanwhile, it claims again with a higher epoch after a heartbeat.
    if (leases.length === 0 || !this.#isAlive()) return
    for (const lease of leases) this.leases.set(lease.shard, lease)
    this.#updateMetric()
    log.info({ claimed: leases.length, shards: this.leases.size }, 'claimed shards')
    await observer.claimed(leases)
  }

  async #release(shards: readonly number[]): Promise<void> {
    const { db, observer, log } = this.#options
    const leases = shards.flatMap((shard) => this.leases.get(shard) ?? [])
    for (const { shard } of leases) this.leases.delete(shard)
    this.#updateMetric()
    await observer.released(leases.map(({ shard }) => shard))
    for (const lease of leases) await releaseShard(db, lease)
    log.debug({ released: leases.length, shards: this.leases.size }, 'released shards')
  }
}
