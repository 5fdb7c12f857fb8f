import { AppError } from '@posthorn/errors'
import { type Clock, Semaphore, TtlCache } from '@posthorn/flow'
import { resolveAllowed } from '@posthorn/net/egress'
import type { Config } from '../../../config.ts'
import { type LoginFor, LoginGate, type LoginGateOptions } from './login-gate.ts'

/** Properties of a login at a mail server that waits for a permit. */
export interface LoginRequest {
  loginFor: LoginFor
  /**
   * True if a proxy resolves the mail server's host name, so that logins per address are not
   * limited.
   */
  viaProxy?: boolean
  /** Called if the mail login has to wait for a permit. May be called several times per login. */
  onWait?: (() => void) | undefined
}

/**
 * Limits the logins at mail servers, so that a worker that starts with thousands of accounts does
 * not overload a server.
 */
export interface LoginLimiter {
  /**
   * Waits for a permit to log in at the host of a mail server. The order of waiting logins is the
   * order of `LoginGate`. The caller must dispose the permit when the login is complete.
   *
   * @throws AppError `unavailable` when the signal aborts
   */
  acquire(host: string, signal: AbortSignal, request: LoginRequest): Promise<Disposable>
  /**
   * Key by which logins at a mail server's host are limited: its IP address if resolved, or its
   * name.
   */
  keyOf(host: string): string
}

/** Limits of the logins at mail servers. The value of `perSecond` may change while logins wait. */
export type LoginLimits = Omit<Config['logins'], 'perSecond'> & {
  perSecond: number | (() => number)
}

/**
 * Resolves the host name of a mail server to an IP address. Returns the same address each time if a
 * host has several addresses. Undefined if the host name cannot be resolved.
 */
export type FindAddress = (host: string, signal: AbortSignal) => Promise<string | undefined>

export interface LoginLimiterParts {
  findAddress?: FindAddress
  clock?: Clock
}

const maxAddresses = 10_000

/**
 * Creates the login limiter of a worker. A login takes a permit for its host name, then for its IP
 * address, then for all logins of the worker. A login that waits for the last permit does not block
 * logins at other hosts.
 */
export function createLoginLimiter(
  { perHost, perSecond, concurrent }: LoginLimits,
  { findAddress = cacheAddresses(), clock }: LoginLimiterParts = {},
): LoginLimiter {
  const all = new LoginGate({ capacity: concurrent })
  const gates = new LoginGates({ capacity: perHost, perSecond, ...(clock && { clock }) })
  const addresses = new TtlCache<string, string>({ max: maxAddresses })
  return {
    keyOf: (host) => addresses.get(host.toLowerCase()) ?? host.toLowerCase(),
    async acquire(host, signal, { viaProxy = false, loginFor, onWait }) {
      using permits = new DisposableStack()
      const wait = { signal, loginFor, onWait }
      try {
        permits.use(await gates.get(`host ${host.toLowerCase()}`).acquire(wait))
        const address = viaProxy ? undefined : await findAddress(host, signal)
        if (address !== undefined) {
          addresses.set(host.toLowerCase(), address)
          permits.use(await gates.get(`address ${address}`).acquire(wait))
        }
        permits.use(await all.acquire(wait))
      } catch (cause) {
        if (!signal.aborted) throw cause
        throw new AppError('unavailable', 'Waiting for a login permit was cancelled', { cause })
      }
      return permits.move()
    },
  }
}

/**
 * Number of login gates (limits per host or address) above which idle gates are deleted. A new gate
 * starts without delay.
 */
const minSweep = 10_000

/** Login gates of mail servers: one gate per host name and one per address. */
class LoginGates {
  readonly #options: LoginGateOptions
  readonly #gates = new Map<string, LoginGate>()
  #sweepAt = minSweep

  constructor(options: LoginGateOptions) {
    this.#options = options
  }

  get(key: string): LoginGate {
    const existing = this.#gates.get(key)
    if (existing) return existing
    if (this.#gates.size >= this.#sweepAt) this.#sweep()
    const gate = new LoginGate(this.#options)
    this.#gates.set(key, gate)
    return gate
  }

  #sweep(): void {
    for (const [key, gate] of this.#gates) if (gate.isIdle) this.#gates.delete(key)
    // The number of login gates that starts the next sweep doubles with the remaining gates, so
    // that sweeps cost little.
    this.#sweepAt = Math.max(minSweep, 2 * this.#gates.size)
  }
}

const addressTtlMs = 60_000
/**
 * Maximum concurrent lookups of host names. libuv resolves names on four threads, which are also
 * used for file access.
 */
const maxLookups = 8
const lookupTimeoutMs = 5_000

/** Creates the function that finds host addresses by the system's resolver, cached for 60 s. */
export function cacheAddresses(resolve = resolveAllowed): FindAddress {
  const lookups = new Semaphore(maxLookups)
  const cache = new TtlCache<string, string | undefined>({
    ttlMs: addressTtlMs,
    max: maxAddresses,
  })
  const find = async (host: string) => {
    const signal = AbortSignal.timeout(lookupTimeoutMs)
    try {
      // The egress policy is not applied to this lookup of a host name, because the policy is
      // checked when the connection is opened.
      const addresses = await lookups.run(() => resolve(host, 'off', { signal }), signal)
      return addresses.map(({ address }) => address).toSorted()[0]
    } catch {
      return undefined
    }
  }
  return (host) => cache.load(host, () => find(host))
}
