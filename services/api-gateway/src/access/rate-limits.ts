import type { ServerResponse } from 'node:http'
import type { CountedRequest, TokenWindow } from '@posthorn/access'
import { sqlState } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Clock, monotonicClock, TtlCache } from '@posthorn/flow'
import { networkOf } from '@posthorn/net/addresses'
import type { Token } from '../store/access/tokens.ts'
import { foreignKeyViolation } from '../store/transaction.ts'
import { badToken } from './authenticate.ts'

export interface AddressLimiterOptions {
  /** Maximum requests of one IP address per minute; 0 for no limit. */
  maxPerMinute: number
  clock?: Clock
}

interface AddressWindow {
  requests: number
  readonly endsAt: number
}

const windowMs = 60_000
/**
 * Maximum IP addresses whose requests are counted in memory, about 10 MB. An evicted address starts
 * with a new rate limit window.
 */
const maxAddresses = 50_000

/**
 * Limits the requests of an IP address (IPv6: /64), whatever the access tokens of the requests.
 * Counts in this process only, so that a flood costs no query.
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
   * Counts a request of an IP address and sets the rate limit headers of its response.
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

  /** True if the configuration sets no rate limit for the requests of an IP address. */
  get isUnlimited(): boolean {
    return this.#maxPerMinute === 0
  }

  /** Counts a request of an IP address. Above the limit, returns the seconds to wait. */
  excess(address: string): number | undefined {
    if (this.#maxPerMinute === 0) return undefined
    const window = this.#countIn(address)
    return window.requests > this.#maxPerMinute ? this.#secondsLeft(window) : undefined
  }

  /** Subtracts a counted request from the count of its IP address. */
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

/**
 * Counts one request of an access token in Postgres, together with the requests to all other
 * replicas.
 */
export type CountRequest = (counted: CountedRequest) => Promise<TokenWindow>

/**
 * Counts a request against the rate limit of its access token and sets the rate limit headers.
 *
 * @throws AppError `rate-limited`
 */
export async function limitRate(
  count: CountRequest,
  token: Token,
  response: ServerResponse,
): Promise<void> {
  const limit = token.restrictions?.rateLimit
  if (!limit) return
  const { maxRequests, timeWindow: windowSeconds } = limit
  const counted = { token: token.id, windowSeconds }
  const { requests, resetSeconds } = await count(counted).catch((error: unknown) => {
    // A foreign key violation means that the access token was revoked recently and is still cached
    // in this process.
    throw sqlState(error) === foreignKeyViolation ? badToken('unknown token') : error
  })
  reportWindow(response, { maxRequests, requests, resetSeconds })
}

/**
 * Sets the rate limit headers of a counted request. The headers of the token's limit replace the
 * headers of the address's limit. Interface spec, "Statuses": `X-RateLimit-Remaining` only on
 * allowed requests.
 *
 * @throws AppError `rate-limited` above the limit
 */
export function reportWindow(
  response: Pick<ServerResponse, 'setHeader' | 'removeHeader'>,
  { maxRequests, requests, resetSeconds }: TokenWindow & { maxRequests: number },
): void {
  response.setHeader('X-RateLimit-Limit', maxRequests)
  response.setHeader('X-RateLimit-Reset', resetSeconds)
  if (requests > maxRequests) {
    response.removeHeader('X-RateLimit-Remaining')
    throw new AppError('rate-limited', 'Rate limit exceeded', { extras: { ttl: resetSeconds } })
  }
  response.setHeader('X-RateLimit-Remaining', maxRequests - requests)
}
