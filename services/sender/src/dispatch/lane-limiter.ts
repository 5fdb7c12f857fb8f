import { suspensionMs } from '../attempt/retry-delay.ts'

export interface LaneLimits {
  /** Messages in hand at once, over all accounts. */
  concurrency: number
  perAccount: number
  perHost: number
  /** Bytes of the messages in hand; a single message may have more. Those claimed ahead may have a quarter as many besides. */
  maxBytes: number
}

/** What a message occupies while it is in hand. */
export interface LaneDemand {
  account: string
  /** Where it goes by a server that is not the account's: its name. */
  gateway: string | null
  /** `host:port` of the server it goes to; empty where there is none. */
  host: string
  bytes: number
}

type LaneKind = 'account' | 'gateway' | 'host'

interface Lane {
  inFlight: number
  /** Failures in a row that said something about the whole lane. */
  failures: number
  suspendedUntil: number
  /** Claimed, and waiting for a place. */
  prefetched: number
  /** The last message was taken so soon that it is worth while to have the next ones at hand. */
  fast: boolean
  /** Between few that wait and as many as may: they are claimed in portions, and not one by one. */
  filling: boolean
}

/** Messages that may wait for each place of a lane. */
const aheadPerPlace = 4
/** A message that takes longer is no reason to have others at hand. */
const quickMs = 250

/** Milliseconds after which the failures of a lane nobody used are forgotten. */
const forgetMs = 3_600_000

/**
 * Who may start now. One account or one server that is slow, or broken, occupies its own lane and nobody else's.
 *
 * After a suspension one message goes first; only when it gets through does the lane open again.
 */
export class LaneLimiter {
  readonly #limits: LaneLimits
  readonly #baseMs: number
  readonly #lanes: Readonly<Record<LaneKind, Map<string, Lane>>> = {
    account: new Map(),
    gateway: new Map(),
    host: new Map(),
  }
  #inHand = 0
  #bytes = 0
  #ahead = 0
  #aheadBytes = 0

  constructor(limits: LaneLimits, baseMs: number) {
    this.#limits = limits
    this.#baseMs = baseMs
  }

  get capacity(): number {
    return this.#limits.concurrency - this.#inHand
  }

  /** The lanes in which nothing can start now, nor wait for a place. */
  saturated(): { accounts: string[]; gateways: string[]; hosts: string[] } {
    const closed = (kind: LaneKind) => closedOf(this.#lanes[kind], this.#limitOf(kind))
    return { accounts: closed('account'), gateways: closed('gateway'), hosts: closed('host') }
  }

  /** Takes a place, if there is one. Whoever got one must leave. */
  tryAcquire(place: LaneDemand): boolean {
    const { bytes } = place
    const keys = keysOf(place)
    const isFree = ([kind, key]: [LaneKind, string]) =>
      isOpen(laneOf(this.#lanes[kind], key), this.#limitOf(kind))
    if (this.capacity <= 0 || !keys.every(isFree)) return false
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limits.maxBytes) return false
    this.#inHand += 1
    this.#bytes += bytes
    for (const [kind, key] of keys) laneOf(this.#lanes[kind], key).inFlight += 1
    return true
  }

  /**
   * Takes a place among the messages that are claimed before there is one to send them. Only where servers take them quickly, and no
   * more than are sent in a moment: what waits here, no other process can send.
   */
  tryPrefetch(place: LaneDemand): boolean {
    const { bytes } = place
    const { concurrency, maxBytes } = this.#limits
    const lanes = keysOf(place).map(([kind, key]) => laneOf(this.#lanes[kind], key))
    if (this.#ahead >= concurrency || this.#aheadBytes + bytes > maxBytes / 4) return false
    if (!lanes.every(hasRoomAhead)) return false
    this.#ahead += 1
    this.#aheadBytes += bytes
    this.#changeAhead(place, 1)
    return true
  }

  releasePrefetch(place: LaneDemand): void {
    this.#ahead -= 1
    this.#aheadBytes -= place.bytes
    this.#changeAhead(place, -1)
  }

  /** Whether something failed that is about a whole lane of it. */
  isSuspended(place: LaneDemand): boolean {
    return keysOf(place).some(([kind, key]) => laneOf(this.#lanes[kind], key).failures > 0)
  }

  /** Whether more are to be claimed ahead by now. */
  wantsMore(place: LaneDemand): boolean {
    return keysOf(place).every(([kind, key]) => hasRoomAhead(laneOf(this.#lanes[kind], key)))
  }

  release(place: LaneDemand): void {
    this.releaseServer(place)
    this.releaseProcess(place)
  }

  /** The server has answered: it may be asked again, whatever is still to be done about this message. */
  releaseServer(place: LaneDemand): void {
    for (const [kind, key] of keysOf(place)) {
      const lane = laneOf(this.#lanes[kind], key)
      lane.inFlight -= 1
      // One that is quick is remembered until the next look.
      if (lane.inFlight + lane.prefetched === 0 && lane.failures === 0 && !lane.fast)
        this.#lanes[kind].delete(key)
    }
  }

  releaseProcess({ bytes }: LaneDemand): void {
    this.#inHand -= 1
    this.#bytes -= bytes
  }

  /**
   * Closes a lane for a time that grows with each failure in a row. What was under way together counts as one. What a gateway says of
   * the login is about the gateway, and not about the account whose message it was.
   */
  suspend(kind: 'account' | 'host', place: LaneDemand): number {
    const wanted = kind === 'account' && place.gateway !== null ? 'gateway' : kind
    const [, key] = keysOf(place).find(([kind]) => kind === wanted) ?? []
    if (key === undefined) return 0
    const lane = laneOf(this.#lanes[wanted], key)
    const now = Date.now()
    if (lane.suspendedUntil > now) return lane.suspendedUntil - now
    lane.failures += 1
    const ms = suspensionMs(lane.failures, this.#baseMs)
    lane.suspendedUntil = now + ms
    return ms
  }

  /** A message got through, after so many milliseconds. */
  recover(place: LaneDemand, ms = Infinity): void {
    for (const [kind, key] of keysOf(place)) {
      const lane = laneOf(this.#lanes[kind], key)
      lane.failures = 0
      lane.suspendedUntil = 0
      lane.fast = ms <= quickMs
    }
  }

  /** What waits has waited for too long: no more of it until a message is taken quickly again. */
  slowDown(place: LaneDemand): void {
    for (const [kind, key] of keysOf(place)) laneOf(this.#lanes[kind], key).fast = false
  }

  #changeAhead(place: LaneDemand, by: 1 | -1): void {
    for (const [kind, key] of keysOf(place)) {
      const lane = laneOf(this.#lanes[kind], key)
      const most = aheadPerPlace * this.#limitOf(kind)
      lane.prefetched += by
      if (lane.prefetched >= most) lane.filling = false
      else if (lane.prefetched <= most / 3) lane.filling = true
    }
  }

  #limitOf(kind: LaneKind): number {
    if (kind === 'gateway') return Infinity
    return kind === 'account' ? this.#limits.perAccount : this.#limits.perHost
  }
}

/** The lanes of a message. By a gateway an account has a lane of its own: what its own server thinks of it does not matter there. */
function keysOf({ account, gateway, host }: LaneDemand): [LaneKind, string][] {
  const keys: [LaneKind, string][] = [
    ['account', gateway === null ? account : `${account}\n${gateway}`],
  ]
  if (gateway !== null) keys.push(['gateway', gateway])
  if (host !== '') keys.push(['host', host])
  return keys
}

function laneOf(lanes: Map<string, Lane>, key: string): Lane {
  const known = lanes.get(key)
  if (known) return known
  const lane = {
    inFlight: 0,
    failures: 0,
    suspendedUntil: 0,
    prefetched: 0,
    fast: false,
    filling: true,
  }
  lanes.set(key, lane)
  return lane
}

function isOpen({ inFlight: inHand, failures, suspendedUntil }: Lane, limit: number): boolean {
  return suspendedUntil <= Date.now() && inHand < (failures > 0 ? 1 : limit)
}

function hasRoomAhead({ fast: quick, filling, failures }: Lane): boolean {
  return quick && filling && failures === 0
}

function closedOf(lanes: Map<string, Lane>, limit: number): string[] {
  const closed: string[] = []
  for (const [key, lane] of lanes) {
    if (lane.inFlight + lane.prefetched === 0 && lane.suspendedUntil + forgetMs < Date.now())
      lanes.delete(key)
    else if (!isOpen(lane, limit) && !hasRoomAhead(lane)) closed.push(key)
  }
  return closed
}
