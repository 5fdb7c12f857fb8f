import { backoff, CircuitBreaker, type Clock, type Permit, Semaphore } from '@posthorn/flow'
import type { DueSubmission, LaneKeys } from '../store/submission.ts'

export interface LaneLimits {
  /** Maximum submissions in flight per sender process, over all accounts. */
  concurrency: number
  perAccount: number
  perHost: number
  /**
   * Maximum bytes of the submissions in flight of a sender process. A larger message runs alone.
   * Prefetched submissions may have a quarter of `maxBytes` in addition.
   */
  maxBytes: number
}

/**
 * Properties of a submission that decide which lanes (account, gateway, host) the submission
 * occupies, and how much memory.
 */
export type LaneDemand = Pick<DueSubmission, 'account' | 'gateway' | 'host' | 'bytes' | 'byApi'>

/**
 * Permit of a submission in flight, which occupies capacity of its account, gateway (shared SMTP
 * server) and host. Disposal releases the capacity.
 */
export interface LanePermit extends Disposable {
  /**
   * Releases the capacity of the submission's account, gateway (shared SMTP server) and host after
   * the server's reply, before the outcome is recorded.
   */
  releaseServer(): void
}

type LaneKind = 'account' | 'gateway' | 'host'

/**
 * Maximum prefetched submissions of a lane (account, gateway or host), as a multiple of the lane's
 * limit of concurrent submissions.
 */
const prefetchPerSlot = 4
/**
 * Maximum time until an outgoing mail server accepts a message, up to which further submissions to
 * the server are prefetched. Slower mail servers do not benefit from prefetching.
 */
const fastMs = 250
/** Time after which the failures of an unused lane (account, gateway or host) are forgotten. */
const evictMs = 3_600_000

/**
 * Limits the submissions in flight: per account, per gateway, per host and in total. Each account,
 * gateway or host is a lane: a slow or failing server occupies its own lanes only. A failure
 * suspends a lane. After the suspension one submission probes the lane. The lane returns to its
 * full limit when the probe is accepted.
 */
export class LaneLimiter {
  readonly #limits: LaneLimits
  readonly #retryBaseMs: number
  readonly #clock: Clock
  readonly #lanes: Readonly<Record<LaneKind, Map<string, Lane>>> = {
    account: new Map(),
    gateway: new Map(),
    host: new Map(),
  }
  readonly #inFlight: Semaphore
  readonly #bytes: Semaphore
  readonly #prefetched: Semaphore
  readonly #prefetchedBytes: Semaphore

  constructor(limits: LaneLimits, retryBaseMs: number, clock: Clock = Date.now) {
    this.#limits = limits
    this.#retryBaseMs = retryBaseMs
    this.#clock = clock
    this.#inFlight = new Semaphore(limits.concurrency)
    this.#bytes = new Semaphore(limits.maxBytes)
    this.#prefetched = new Semaphore(limits.concurrency)
    this.#prefetchedBytes = new Semaphore(limits.maxBytes / 4)
  }

  /** Number of further submissions that may start in this sender process. */
  get capacity(): number {
    return this.#inFlight.available
  }

  /**
   * Keys of the lanes (accounts, gateways, hosts) in which no submission can start or be
   * prefetched. Evicts unused lanes.
   */
  saturated(): LaneKeys {
    for (const lanes of Object.values(this.#lanes))
      for (const [key, lane] of lanes)
        if (lane.isUnused && lane.breaker.openUntil + evictMs < this.#clock()) lanes.delete(key)
    return this.#keysWhere((lane) => !lane.hasCapacity && !lane.canPrefetch)
  }

  /**
   * Keys of the lanes (accounts, gateways, hosts) that are suspended after a failure, until a
   * message is accepted in the lane. At most one probe at a time runs in such a lane.
   */
  suspended(): LaneKeys {
    return this.#keysWhere((lane) => lane.isFailing)
  }

  /**
   * Permit to start a submission. Undefined if the account, gateway (shared SMTP server) or host of
   * the submission, or this process, has no capacity.
   */
  tryAcquire(demand: LaneDemand): LanePermit | undefined {
    const lanes = this.#lanesOf(demand)
    if (this.capacity <= 0 || !lanes.every((lane) => lane.hasCapacity)) return undefined
    const bytes = this.#bytes.tryAcquire(demand.bytes)
    if (!bytes) return undefined
    const inFlight = this.#inFlight.tryAcquire()
    const servers = lanes.map((lane) => lane.permits.tryAcquire())
    const releaseServer = () => {
      if (servers.length === 0) return
      for (const permit of servers.splice(0)) permit?.[Symbol.dispose]()
      this.#evictUnused(demand)
    }
    return {
      releaseServer,
      [Symbol.dispose]() {
        releaseServer()
        inFlight?.[Symbol.dispose]()
        bytes[Symbol.dispose]()
      },
    }
  }

  /**
   * Permit to claim a submission before it can start. Granted only if messages of its account,
   * gateway and host are accepted fast, and for few submissions, because no other process can send
   * a prefetched submission.
   */
  tryPrefetch(demand: LaneDemand): Permit | undefined {
    const lanes = this.#lanesOf(demand)
    if (!lanes.every((lane) => lane.canPrefetch)) return undefined
    if (demand.bytes > this.#prefetchedBytes.available) return undefined
    const count = this.#prefetched.tryAcquire()
    if (!count) return undefined
    const bytes = this.#prefetchedBytes.tryAcquire(demand.bytes)
    for (const lane of lanes) lane.addPrefetched(1)
    return {
      [Symbol.dispose]() {
        count[Symbol.dispose]()
        bytes?.[Symbol.dispose]()
        for (const lane of lanes.splice(0)) lane.addPrefetched(-1)
      },
    }
  }

  /**
   * True after a failure in a lane (account, gateway or host) of the submission, until a message is
   * accepted in that lane.
   */
  isSuspended(demand: LaneDemand): boolean {
    return this.#lanesOf(demand).some((lane) => lane.isFailing)
  }

  /**
   * True if the lanes (account, gateway, host) of a submission may prefetch: the number of
   * prefetched submissions in each lane has fallen to the lower mark.
   */
  canPrefetch(demand: LaneDemand): boolean {
    return this.#lanesOf(demand).every((lane) => lane.canPrefetch)
  }

  /**
   * Suspends a lane (account, gateway or host) after a failure and returns the remaining time of
   * the suspension in milliseconds. Concurrent failures count once. A failed login at a gateway
   * suspends the gateway, not the account.
   */
  suspend(kind: 'account' | 'host', demand: LaneDemand): number {
    const affected = kind === 'account' && demand.gateway !== null ? 'gateway' : kind
    const key = keysOf(demand).get(affected)
    if (key === undefined) return 0
    const { breaker } = this.#laneOf(affected, { key, byApi: demand.byApi })
    if (!breaker.isOpen) breaker.failure()
    return breaker.remainingMs
  }

  /**
   * Ends the suspension of the account, gateway (shared SMTP server) and host of a submission after
   * the message was accepted. `ms`: duration of the acceptance, which decides whether account,
   * gateway and host count as fast.
   */
  recover(demand: LaneDemand, ms = Infinity): void {
    for (const lane of this.#lanesOf(demand)) {
      lane.breaker.success()
      lane.isFast = ms <= fastMs
    }
  }

  /**
   * Stops prefetching (claiming submissions that cannot start yet) for the account, gateway and
   * host of a submission, until a message is accepted fast again.
   */
  stopPrefetching(demand: LaneDemand): void {
    for (const lane of this.#lanesOf(demand)) lane.isFast = false
  }

  #keysWhere(matches: (lane: Lane) => boolean): LaneKeys {
    const keys = (kind: LaneKind) =>
      [...this.#lanes[kind]].filter(([, lane]) => matches(lane)).map(([key]) => key)
    return { accounts: keys('account'), gateways: keys('gateway'), hosts: keys('host') }
  }

  #lanesOf(demand: LaneDemand): Lane[] {
    const { byApi } = demand
    return Array.from(keysOf(demand), ([kind, key]) => this.#laneOf(kind, { key, byApi }))
  }

  #laneOf(kind: LaneKind, { key, byApi }: { key: string; byApi: boolean }): Lane {
    const existing = this.#lanes[kind].get(key)
    if (existing) return existing
    // The lane (limit) of an account at a mail API permits 1 submission, because all senders
    // together send one request at a time for such an account.
    const lane = new Lane(byApi ? 1 : this.#limitOf(kind), this.#retryBaseMs, this.#clock)
    this.#lanes[kind].set(key, lane)
    return lane
  }

  /**
   * Deletes the lanes (account, gateway, host) of a submission that are not in use. Lanes that
   * accept messages fast stay until the next poll.
   */
  #evictUnused(demand: LaneDemand): void {
    for (const [kind, key] of keysOf(demand)) {
      const lane = this.#lanes[kind].get(key)
      if (lane?.isUnused && !lane.isFailing && !lane.isFast) this.#lanes[kind].delete(key)
    }
  }

  #limitOf(kind: LaneKind): number {
    if (kind === 'gateway') return Number.MAX_SAFE_INTEGER
    return kind === 'account' ? this.#limits.perAccount : this.#limits.perHost
  }
}

class Lane {
  readonly permits: Semaphore
  readonly breaker: CircuitBreaker
  /**
   * True if the last message of the lane (account, gateway or host) was accepted within `fastMs`.
   */
  isFast = false
  #prefetched = 0
  /**
   * True while prefetched submissions of the lane (account, gateway or host) may be added.
   * Hysteresis: refilled in batches, from the lower mark to the upper mark.
   */
  #isRefilling = true

  constructor(limit: number, retryBaseMs: number, clock: Clock) {
    this.permits = new Semaphore(limit)
    // Maximum suspension of a lane (account, gateway or host): short enough that a suspension
    // rarely outlasts the retry delay of a message.
    const openMs = backoff({ baseMs: retryBaseMs, maxMs: retryBaseMs * 32 })
    this.breaker = new CircuitBreaker({ failureThreshold: 1, openMs, clock })
  }

  /**
   * True if a submission may start in the lane (account, gateway or host). After a failure one
   * probe at a time may run.
   */
  get hasCapacity(): boolean {
    if (this.breaker.isOpen) return false
    return this.isFailing ? this.permits.isIdle : this.permits.available > 0
  }

  get canPrefetch(): boolean {
    return this.isFast && this.#isRefilling && !this.isFailing
  }

  get isFailing(): boolean {
    return this.breaker.consecutiveFailures > 0
  }

  get isUnused(): boolean {
    return this.permits.isIdle && this.#prefetched === 0
  }

  addPrefetched(count: 1 | -1): void {
    const maxPrefetched = prefetchPerSlot * this.permits.capacity
    this.#prefetched += count
    if (this.#prefetched >= maxPrefetched) this.#isRefilling = false
    else if (this.#prefetched <= maxPrefetched / 3) this.#isRefilling = true
  }
}

/**
 * Keys of the lanes (account, gateway, host) of a submission. With a gateway the account has a
 * separate lane per gateway: failures at the account's own server do not concern the gateway.
 */
function keysOf({ account, gateway, host }: LaneDemand): Map<LaneKind, string> {
  const keys = new Map<LaneKind, string>()
  keys.set('account', gateway === null ? account : `${account}\n${gateway}`)
  if (gateway !== null) keys.set('gateway', gateway)
  if (host !== '') keys.set('host', host)
  return keys
}
