import { suspensionMs } from './schedule.ts'

export interface LaneLimits {
  /** Messages in hand at once, over all accounts. */
  concurrency: number
  perAccount: number
  perHost: number
  /** Bytes of the messages in hand; a single message may have more. */
  maxBytes: number
}

/** What a message occupies while it is in hand. */
export interface Place {
  account: string
  /** `host:port` of the account's server; empty where it has none. */
  host: string
  bytes: number
}

interface Lane {
  inHand: number
  /** Failures in a row that said something about the whole lane. */
  failures: number
  suspendedUntil: number
}

/** Milliseconds after which the failures of a lane nobody used are forgotten. */
const forgetMs = 3_600_000

/**
 * Who may start now. One account or one server that is slow, or broken, occupies its own lane and nobody else's.
 *
 * After a suspension one message goes first; only when it gets through does the lane open again.
 */
export class Lanes {
  readonly #limits: LaneLimits
  readonly #baseMs: number
  readonly #accounts = new Map<string, Lane>()
  readonly #hosts = new Map<string, Lane>()
  #inHand = 0
  #bytes = 0

  constructor(limits: LaneLimits, baseMs: number) {
    this.#limits = limits
    this.#baseMs = baseMs
  }

  get free(): number {
    return this.#limits.concurrency - this.#inHand
  }

  /** The lanes in which nothing can start now. */
  closed(): { accounts: string[]; hosts: string[] } {
    const { perAccount, perHost } = this.#limits
    return { accounts: closedOf(this.#accounts, perAccount), hosts: closedOf(this.#hosts, perHost) }
  }

  /** Takes a place, if there is one. Whoever got one must leave. */
  tryEnter({ account, host, bytes }: Place): boolean {
    const lanes = [
      { lane: laneOf(this.#accounts, account), limit: this.#limits.perAccount },
      { lane: laneOf(this.#hosts, host), limit: host === '' ? Infinity : this.#limits.perHost },
    ]
    if (this.free <= 0 || !lanes.every(({ lane, limit }) => isOpen(lane, limit))) return false
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limits.maxBytes) return false
    this.#inHand += 1
    this.#bytes += bytes
    for (const { lane } of lanes) lane.inHand += 1
    return true
  }

  leave({ account, host, bytes }: Place): void {
    this.#inHand -= 1
    this.#bytes -= bytes
    for (const [lanes, key] of [
      [this.#accounts, account],
      [this.#hosts, host],
    ] as const) {
      const lane = laneOf(lanes, key)
      lane.inHand -= 1
      if (lane.inHand === 0 && lane.failures === 0) lanes.delete(key)
    }
  }

  /** Closes a lane for a time that grows with each failure in a row. What was under way together counts as one. */
  suspend(kind: 'account' | 'host', { account, host }: Place): number {
    const lane = kind === 'account' ? laneOf(this.#accounts, account) : laneOf(this.#hosts, host)
    const now = Date.now()
    if (lane.suspendedUntil > now) return lane.suspendedUntil - now
    lane.failures += 1
    const ms = suspensionMs(lane.failures, this.#baseMs)
    lane.suspendedUntil = now + ms
    return ms
  }

  /** A message got through. */
  recover({ account, host }: Place): void {
    for (const lane of [laneOf(this.#accounts, account), laneOf(this.#hosts, host)]) {
      lane.failures = 0
      lane.suspendedUntil = 0
    }
  }
}

function laneOf(lanes: Map<string, Lane>, key: string): Lane {
  const known = lanes.get(key)
  if (known) return known
  const lane = { inHand: 0, failures: 0, suspendedUntil: 0 }
  lanes.set(key, lane)
  return lane
}

function isOpen({ inHand, failures, suspendedUntil }: Lane, limit: number): boolean {
  return suspendedUntil <= Date.now() && inHand < (failures > 0 ? 1 : limit)
}

function closedOf(lanes: Map<string, Lane>, limit: number): string[] {
  const closed: string[] = []
  for (const [key, lane] of lanes) {
    if (lane.inHand === 0 && lane.suspendedUntil + forgetMs < Date.now()) lanes.delete(key)
    else if (key !== '' && !isOpen(lane, limit)) closed.push(key)
  }
  return closed
}
