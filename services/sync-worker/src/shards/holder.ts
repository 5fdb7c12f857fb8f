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
  releaseOrphaned,
  listShardsOf,
  saveHeartbeat,
  markStopping,
  releaseShard,
} from '../store/shards.ts'
import { balance } from './fair-share.ts'

/** Whoever works on the shards. */
export interface ShardObserver {
  /** These are ours from now on. */
  claimed(leases: readonly Lease[]): Promise<void>
  /** Stop all work on these. They are given away, or are lost already, once this resolves. */
  released(shards: readonly number[]): Promise<void>
}

export interface ShardHolderOptions {
  db: Db
  worker: string
  /** What this worker alone knows. */
  proof?: string
  log: Logger
  observer: ShardObserver
  metrics: Pick<WorkerMetrics, 'shardsHeld'>
  heartbeatMs: number
  /** Between looks for shards to claim or to give back. */
  claimMs: number
  /** Milliseconds by a clock that only goes on; default: that of the process. */
  now?: () => number
}

export interface ShardHolder extends AsyncDisposable {
  leases(): ReadonlyMap<number, Lease>
  /** Looks at once. */
  wake(): void
}

/** How many shards are handed over at the same time when this process stops: servers that do not answer a LOGOUT hold up 64 at most. */
const handOverAtOnce = 64

/**
 * Keeps this worker's share of the shards: heartbeats, claims, gives back what is too much, and stops working when it could not say for
 * two heartbeats that it lives. Others may claim after three.
 *
 * Disposing hands the shards over one after the other, so that the next holder has each within a second.
 */
export function holdShards(options: ShardHolderOptions): ShardHolder {
  const { db, worker, log, claimMs, heartbeatMs } = options
  const holding = new Holding(options)
  const loop = runPeriodically(
    { everyMs: Math.min(claimMs, heartbeatMs), log, name: 'shards' },
    (signal) => holding.pass(signal),
  )
  const watchdog = setInterval(() => holding.dropWhenLost(), heartbeatMs / 4)
  const reaper = runPeriodically({ everyMs: 3_600_000, log, name: 'dead workers' }, () =>
    deleteDeadWorkers(db),
  )
  return {
    leases: () => holding.held,
    wake: () => loop.wake(),
    async [Symbol.asyncDispose]() {
      await Promise.all([loop[Symbol.asyncDispose](), reaper[Symbol.asyncDispose]()])
      await markStopping(db, worker).catch((err: unknown) =>
        log.warn({ err }, 'could not announce the stop'),
      )
      const held = holding.held.size
      await holding.handOver()
      log.info({ shards: held }, 'handed the shards over')
      clearInterval(watchdog)
      await deleteWorker(db, worker).catch((err: unknown) =>
        log.warn({ err }, 'could not sign off'),
      )
    },
  }
}

class Holding {
  readonly held = new Map<number, Lease>()
  readonly #options: ShardHolderOptions
  readonly #now: () => number
  /** By the monotonic clock: when the last heartbeat that arrived was sent. */
  #aliveAt = -Infinity
  /** Work that is being stopped because no heartbeat got through. Nothing is claimed before it has. */
  #dropping: Promise<void> | undefined

  constructor(options: ShardHolderOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  async pass(signal: AbortSignal): Promise<void> {
    const { db, worker, heartbeatMs } = this.#options
    if (this.#now() - this.#aliveAt >= heartbeatMs) await this.#beat()
    if (this.#dropping) return
    const ours = await listShardsOf(db, worker)
    await this.#forgetTaken(ours)
    if (signal.aborted || this.#dropping) return
    // As long as we live no other worker may take what is ours in the table alone, since a heartbeat or a hand-over failed.
    if (ours.some(({ shard }) => !this.held.has(shard)))
      await releaseOrphaned(db, { worker, held: [...this.held.keys()] })
    const { claim, release } = balance(
      [...this.held.keys()],
      await countWorkers(db, 3 * heartbeatMs),
    )
    if (release.length > 0) {
      this.#options.log.info(
        { release: release.length, held: this.held.size },
        'another worker takes its share',
      )
      await this.#giveBack(release)
    } else if (claim > 0 && !signal.aborted) await this.#claim(claim)
  }

  /** Stops all work when others may believe that this process is dead. Needs nothing but the clock: Postgres may be gone. */
  dropWhenLost(): void {
    if (this.held.size === 0 || this.#fresh()) return
    const lost = [...this.held.keys()]
    this.#options.log.warn(
      { shards: lost.length },
      'no heartbeat got through: work stops until one does',
    )
    this.held.clear()
    this.#count()
    const before = this.#dropping
    const dropping = Promise.allSettled([before, this.#options.observer.released(lost)]).then(
      () => {
        if (this.#dropping === dropping) this.#dropping = undefined
      },
    )
    this.#dropping = dropping
  }

  async handOver(): Promise<void> {
    await this.#dropping
    const waiting = [...this.held.keys()]
    const hand = async () => {
      for (let shard = waiting.pop(); shard !== undefined; shard = waiting.pop())
        await this.#giveBack([shard])
    }
    await Promise.allSettled(Array.from({ length: handOverAtOnce }, hand))
  }

  #count(): void {
    this.#options.metrics.shardsHeld(this.held.size)
  }

  async #beat(): Promise<void> {
    const sentAt = this.#now()
    await saveHeartbeat(this.#options.db, this.#options.worker, this.#options.proof)
    this.#aliveAt = sentAt
  }

  #fresh(): boolean {
    return this.#now() - this.#aliveAt < 2 * this.#options.heartbeatMs
  }

  /** Another worker took them, or somebody raised their epoch. */
  async #forgetTaken(ours: readonly Lease[]): Promise<void> {
    const epochs = new Map(ours.map(({ shard, epoch }) => [shard, epoch]))
    const taken = [...this.held.values()].filter(({ shard, epoch }) => epochs.get(shard) !== epoch)
    if (taken.length === 0) return
    const shards = taken.map(({ shard }) => shard)
    this.#options.log.warn({ shards }, 'shards were taken over')
    for (const shard of shards) this.held.delete(shard)
    this.#count()
    await this.#options.observer.released(shards)
  }

  async #claim(limit: number): Promise<void> {
    const { db, worker, heartbeatMs, observer: user, log } = this.#options
    const leases = await claimShards(db, {
      worker,
      limit,
      held: [...this.held.keys()],
      expiryMs: 3 * heartbeatMs,
    })
    // What was claimed by a process that stood still meanwhile is claimed again, with a higher epoch, once it has said that it lives.
    if (leases.length === 0 || !this.#fresh()) return
    for (const lease of leases) this.held.set(lease.shard, lease)
    this.#count()
    log.info({ claimed: leases.length, held: this.held.size }, 'claimed shards')
    await user.claimed(leases)
  }

  async #giveBack(shards: readonly number[]): Promise<void> {
    const leases = shards.flatMap((shard) => this.held.get(shard) ?? [])
    for (const { shard } of leases) this.held.delete(shard)
    this.#count()
    await this.#options.observer.released(leases.map(({ shard }) => shard))
    for (const lease of leases) await releaseShard(this.#options.db, lease)
    this.#options.log.debug({ released: leases.length, held: this.held.size }, 'gave shards back')
  }
}
