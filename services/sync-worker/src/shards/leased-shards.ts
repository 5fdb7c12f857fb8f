import type { Db } from '@posthorn/db'
import { type Clock, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { LendingPeers } from './lending-peers.ts'
import type { LoginRate } from './login-rate.ts'
import type { Lease } from '../store/lease.ts'
import { claimShards, listShardsOf, releaseOrphaned } from '../store/shards.ts'
import { hasFixedSenders, listWorkers, type LiveWorker, saveHeartbeat } from '../store/workers.ts'
import { countAvailable, fairShare, listReceivers, resumeIfAlone } from './fair-share.ts'
import type { ClaimLimits, MemoryGuard } from './memory-guard.ts'
import type { ShardAccounts, ShardObserver } from './shard-accounts.ts'
import { type Receivers, ShardReleases } from './shard-releases.ts'

export interface ShardHolderOptions {
  db: Db
  /** Id of this worker, and the secret that authenticates it in requests for credentials. */
  worker: { id: string; proof?: string }
  config: Pick<Config, 'heartbeatMs' | 'claimMs' | 'handoffMs' | 'logins'>
  /** Waits until RabbitMQ is connected. */
  whenConnected: (signal: AbortSignal) => Promise<void>
  observer: ShardObserver
  accounts: ShardAccounts
  limits: {
    memory: Pick<MemoryGuard, 'check' | 'refusing'>
    loginRate: LoginRate
    lending?: Pick<LendingPeers, 'observe'>
  }
  log: Logger
  metrics: Pick<WorkerMetrics, 'shardsHeld'>
}

/**
 * Interval at which shards (groups of accounts) are released during the shutdown of this worker.
 */
const handoffTickMs = 50
/**
 * Number of claim intervals for which a new sync-worker waits until all other workers know of the
 * new worker.
 */
const joinIntervals = 2

/** Shards (groups of accounts) leased by this worker. */
export class LeasedShards {
  readonly leases = new Map<number, Lease>()
  readonly #options: ShardHolderOptions
  readonly #clock: Clock
  readonly #releases: ShardReleases
  /** Ids of the sync-workers that were live in the last claim interval. */
  #listed: ReadonlySet<string> = new Set()
  /** Times of this worker's last heartbeat, and of its first heartbeat after an interruption. */
  #heartbeatAt = -Infinity
  #joinedAt = -Infinity
  /** True if this worker refused further shards (groups of accounts) in its last heartbeat. */
  #isRefusingStored = false
  #isReleasing = false
  #isTaking = true
  /**
   * Resolves when the work on shards (groups of accounts) with expired leases has ended. Before,
   * this worker claims no shards.
   */
  #stopping: Promise<void> | undefined

  constructor(options: ShardHolderOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.#releases = new ShardReleases(options)
  }

  /**
   * True while shards are available to this worker: the worker is below its fair share and has
   * memory for further accounts.
   */
  get isTaking(): boolean {
    return this.#isTaking
  }

  /** Sends a heartbeat if due, then claims or releases shards (groups of accounts). */
  async reconcile(signal: AbortSignal): Promise<void> {
    const { db, worker, accounts, limits } = this.#options
    const claimable = limits.memory.check(accounts.load())
    await this.#sendHeartbeatIfDue()
    if (this.#stopping) return
    const stored = await listShardsOf(db, worker.id)
    await this.#dropLost(stored)
    if (signal.aborted || this.#stopping) return
    // After a failed heartbeat or handoff, the table `shards` may assign shards to this worker that
    // the worker does not work on. No other worker could claim these shards while this worker
    // lives.
    const active = this.#active()
    if (stored.some(({ shard }) => !active.includes(shard)))
      await releaseOrphaned(db, { worker: worker.id, active })
    await this.#balance(claimable, signal)
  }

  /**
   * Stops all work on shards as soon as other workers may consider this worker dead. Depends only
   * on the local clock, because Postgres may be unavailable.
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

  /**
   * Releases all shards as fast as the other workers can log in the accounts. If this would take
   * longer than `handoffMs`, releases the shards at a steady rate. Without a worker that can take
   * shards, releases all shards immediately.
   */
  async handOff(): Promise<void> {
    const { claimMs, handoffMs } = this.#options.config
    await this.#stopping
    const total = this.leases.size
    const until = this.#clock() + handoffMs
    for (let listedAt = -Infinity, workers: LiveWorker[] = []; this.leases.size > 0;) {
      if (this.#clock() - listedAt >= claimMs) {
        workers = await this.#announce().catch(() => [])
        listedAt = this.#clock()
      }
      const ids = listReceivers(workers)
      const receivers = { ids, workers: workers.length, aheadMs: handoffTickMs }
      await this.#releaseReady(total, receivers).catch(() => undefined)
      const keep = ids.length > 0 ? Math.ceil((total * (until - this.#clock())) / handoffMs) : 0
      const late = Math.max(0, this.leases.size - Math.max(0, keep))
      this.#startReleases([...this.leases.keys()].slice(0, late))
      if (this.leases.size > 0) await sleep(handoffTickMs)
    }
    await this.#releases.drain()
    await this.#stopping
  }

  /** Sends heartbeats, so that leases stay valid during a handoff. Returns the live workers. */
  async #announce(): Promise<LiveWorker[]> {
    await this.#sendHeartbeatIfDue()
    return this.#listWorkers()
  }

  #updateMetric(): void {
    this.#options.metrics.shardsHeld(this.leases.size)
  }

  async #sendHeartbeatIfDue(): Promise<void> {
    const { db, worker, config, limits } = this.#options
    const { refusing } = limits.memory
    const sentAt = this.#clock()
    const isDue = sentAt - this.#heartbeatAt >= config.heartbeatMs
    if (!isDue && refusing === this.#isRefusingStored) return
    const { id, proof } = worker
    await saveHeartbeat(db, { worker: id, refusing, ...(proof !== undefined && { proof }) })
    if (sentAt - this.#heartbeatAt >= 3 * config.heartbeatMs) this.#joinedAt = sentAt
    this.#heartbeatAt = sentAt
    this.#isRefusingStored = refusing
  }

  #isAlive(): boolean {
    return this.#clock() - this.#heartbeatAt < 2 * this.#options.config.heartbeatMs
  }

  /** Shards (groups of accounts) for which this worker still has account sessions. */
  #active(): number[] {
    return [...this.leases.keys(), ...this.#releases.pending]
  }

  /**
   * Lists the live workers, and divides the logins per second at each mail server's host by the
   * number of live workers.
   */
  async #listWorkers(): Promise<LiveWorker[]> {
    const { db, worker, config, limits } = this.#options
    const workers = await listWorkers(db, worker.id, 3 * config.heartbeatMs)
    limits.loginRate.workers = Math.max(1, workers.length)
    if (limits.lending) {
      const hasOthers = workers.some(({ lends }) => !lends)
      limits.lending.observe(hasOthers || (await hasFixedSenders(db, 3 * config.heartbeatMs)))
    }
    return workers
  }

  /**
   * Stops work on shards (groups of accounts) that another worker claimed or whose epoch (claim
   * number) was raised.
   */
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

  /**
   * Claims shards (groups of accounts) that this worker lacks, or releases surplus shards that
   * other workers are ready for.
   */
  async #balance(claimable: ClaimLimits, signal: AbortSignal): Promise<void> {
    const { worker, config } = this.#options
    const workers = resumeIfAlone(await this.#listWorkers(), worker.id)
    const self = workers.find(({ id }) => id === worker.id)
    if (!self || signal.aborted) return
    const share = fairShare({ ...self, shards: this.leases.size }, workers)
    const surplus = this.leases.size - share
    const hasSurplus = surplus > 0
    if (hasSurplus && !this.#isReleasing)
      this.#options.log.info({ surplus, shards: this.leases.size }, 'releasing surplus shards')
    this.#isReleasing = hasSurplus
    // Excludes workers that are listed for the first time, because such workers claim no shards
    // yet.
    const ids = listReceivers(workers).filter((id) => this.#listed.has(id))
    this.#listed = new Set(workers.map(({ id }) => id))
    const receivers = { ids, workers: workers.length, aheadMs: config.claimMs }
    if (hasSurplus) await this.#releaseReady(surplus, receivers)
    else if (claimable.excess > 0) this.#releaseUntried(claimable.excess)
    else if (workers.length === 1 || this.#hasJoined()) await this.#claim(-surplus, claimable)
    const isBelow = this.leases.size < share && countAvailable(self, workers) > 0
    this.#isTaking = claimable.capacity > 0 && isBelow
  }

  /**
   * True if all other sync-workers have counted this worker and reduced their rates of logins at
   * mail servers.
   */
  #hasJoined(): boolean {
    return this.#clock() - this.#joinedAt >= joinIntervals * this.#options.config.claimMs
  }

  /**
   * Releases up to `limit` of the shards with the highest numbers. Releases only shards whose
   * accounts other workers are ready to log in. Selecting shards by number leaves shards with and
   * without accounts to this worker and to the other workers.
   */
  async #releaseReady(limit: number, receivers: Receivers): Promise<void> {
    const shards = [...this.leases.keys()].toSorted((a, b) => b - a).slice(0, limit)
    this.#startReleases(await this.#releases.selectReady(shards, receivers))
  }

  /**
   * Releases shards whose accounts never tried to log in, until the memory is sufficient for the
   * remaining shards. Needed if accounts take more memory than was planned when the shards were
   * claimed.
   */
  #releaseUntried(excess: number): void {
    const shards = this.#releases.selectUntried([...this.leases.keys()], excess)
    if (shards.length === 0) return
    this.#options.log.warn({ shards: shards.length, excess }, 'no memory, releasing shards')
    this.#startReleases(shards)
  }

  async #claim(limit: number, { capacity, step }: ClaimLimits): Promise<void> {
    const { db, worker, config, observer, accounts, log } = this.#options
    // No further shards are claimed before the account sessions of earlier claims have started,
    // because the memory that these sessions need is unknown until then.
    if (limit <= 0 || step <= 0 || !accounts.listed) return
    const leases = await claimShards(db, {
      worker: worker.id,
      limit,
      capacity,
      step,
      active: this.#active(),
      expiryMs: 3 * config.heartbeatMs,
    })
    // If this process was suspended during the claim, the claimed leases may have expired and are
    // not used. After the next heartbeat, the shards are claimed again with higher epochs (claim
    // numbers).
    if (leases.length === 0 || !this.#isAlive()) return
    for (const lease of leases) this.leases.set(lease.shard, lease)
    this.#updateMetric()
    log.info({ claimed: leases.length, shards: this.leases.size }, 'claimed shards')
    await observer.claimed(leases)
  }

  /** Ends the account sessions of shards and then releases the shards. Runs in the background. */
  #startReleases(shards: readonly number[]): void {
    const leases = shards.flatMap((shard) => this.leases.get(shard) ?? [])
    for (const { shard } of leases) this.leases.delete(shard)
    this.#releases.start(leases)
    this.#updateMetric()
  }
}
