import type { ServerResponse } from 'node:http'
import { type Clock, monotonicClock, TtlCache } from '@posthorn/flow'
import { networkOf } from '@posthorn/net/addresses'
import { reportWindow } from './rate-limit.ts'

export interface AddressLimiterOptions {
  /** Maximum requests of one address per minute; 0 for no limit. */
  maxPerMinute: number
  clock?: Clock
}

interface AddressWindow {
  requests: number
  readonly endsAt: number
}

const windowMs = 60_000
/** Maximum addresses in memory, about 10 MB. An evicted address starts with a new window. */
const maxAddresses = 50_000

/**
 * Limits the requests of an address (IPv6: /64), whatever their token. Counts in this process
 * only, so that a flood costs no query.
 */
export class AddressLimiter {
  readonly #maxPerMinute: number
  readonly #clock: Clock
  readonly #windows: TtlCache<string, AddressWindow>

  constructor({ maxPerMinute, clock = monotonicClock }: AddressLimiterOptions) {
    this.#maxPerMinute = maxPerMinute
    this.#clock = clock
    this.#windows = new TtlCache({ ttlMs: windowMs, max: maxAddresses, clock })
  }

  /**
   * Counts a request and sets the rate limit headers.
   *
   * @throws AppError `rate-limited`
   */
  count(address: string, response: Pick<ServerResponse, 'setHeader' | 'removeHeader'>): void {
    if (this.#maxPerMinute === 0) return
    const window = this.#countIn(address)
    const resetSeconds = this.#secondsLeft(window)
    const { requests } = window
    reportWindow(response, { maxRequests: this.#maxPerMinute, requests, resetSeconds })
  }

  /** True if requests are not limited. */
  get isUnlimited(): boolean {
    return this.#maxPerMinute === 0
  }

  /** Counts a request. Above the limit, returns the seconds until the window ends. */
  excess(address: string): number | undefined {
    if (this.#maxPerMinute === 0) return undefined
    const window = this.#countIn(address)
    return window.requests > this.#maxPerMinute ? this.#secondsLeft(window) : undefined
  }

  /** Takes a counted request back. */
  forget(address: string): void {
    const window = this.#windows.get(networkOf(address))
    if (window && window.requests > 0) window.requests -= 1
  }

  #countIn(address: string): AddressWindow {
    const window = this.#windows.getOrCreate(networkOf(address), () => ({
      requests: 0,
      endsAt: this.#clock() + windowMs,
    }))
    window.requests += 1
    return window
  }

  #secondsLeft({ endsAt }: AddressWindow): number {
    return Math.max(1, Math.ceil((endsAt - this.#clock()) / 1_000))
  }
}
