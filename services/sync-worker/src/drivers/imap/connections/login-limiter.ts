import { AppError } from '@posthorn/errors'
import { type Clock, Semaphore, TtlCache } from '@posthorn/flow'
import { resolveAllowed } from '@posthorn/net/egress'
import type { Config } from '../../../config.ts'
import { type LoginFor, LoginGate, type LoginGateOptions } from './login-gate.ts'

/** Request of a login that waits for a permit. */
export interface LoginRequest {
  loginFor: LoginFor
  /** True if a proxy resolves the host, so that the address of the host is not limited. */
  viaProxy?: boolean
  /** Called, possibly more than once, if the login has to wait. */
  onWait?: (() => void) | undefined
}

/**
 * Limits logins at mail servers, so that a start with thousands of accounts overloads no server.
 */
export interface LoginLimiter {
  /**
   * Waits for a login permit of the host, in the order of `LoginGate`. The caller disposes the
   * permit when the login is complete.
   *
   * @throws AppError `unavailable` when the signal aborts
   */
  acquire(host: string, signal: AbortSignal, request: LoginRequest): Promise<Disposable>
  /** Key of the login limits of a host: its address if resolved, else the host name. */
  keyOf(host: string): string
}

/** Limits of logins at mail servers. `perSecond` may change while callers wait. */
export type LoginLimits = Omit<Config['logins'], 'perSecond'> & {
  perSecond: number | (() => number)
}

/**
 * Finds an address of a host, the same address at each call; undefined if the host cannot be
 * resolved.
 */
export type FindAddress = (host: string, signal: AbortSignal) => Promise<string | undefined>

export interface LoginLimiterParts {
  findAddress?: FindAddress
  clock?: Clock
}

const maxAddresses = 10_000

/**
 * Creates the login limiter of a worker. A login takes permits of the host name, then of its
 * address, then of all logins. Callers waiting for a permit of all logins block no other host.
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

/** Number of login gates from which idle gates are deleted. A new gate starts without delay. */
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
    // Each login gate is visited once per doubling of the number of gates.
    this.#sweepAt = Math.max(minSweep, 2 * this.#gates.size)
  }
}

const addressTtlMs = 60_000
/**
 * Maximum concurrent lookups of host names. libuv resolves names on four threads; more lookups
 * would delay file access.
 */
const maxLookups = 8
const lookupTimeoutMs = 5_000

/** Creates a lookup of the addresses of hosts by the system's resolver, cached for 60 s. */
export function cacheAddresses(resolve = resolveAllowed): FindAddress {
  const lookups = new Semaphore(maxLookups)
  const cache = new TtlCache<string, string | undefined>({
    ttlMs: addressTtlMs,
    max: maxAddresses,
  })
  const find = async (host: string) => {
    const signal = AbortSignal.timeout(lookupTimeoutMs)
    try {
      // `off`: the egress policy is checked when connecting.
      const addresses = await lookups.run(() => resolve(host, 'off', { signal }), signal)
      return addresses.map(({ address }) => address).toSorted()[0]
    } catch {
      return undefined
    }
  }
  return (host) => cache.load(host, () => find(host))
}
