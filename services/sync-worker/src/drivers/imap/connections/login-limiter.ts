import { AppError } from '@posthorn/errors'
import { KeyedSemaphore, RateLimiter, Semaphore, TtlCache } from '@posthorn/flow'
import { resolveAllowed } from '@posthorn/net/egress'
import type { Config } from '../../../config.ts'

/** Limits logins at mail servers, so that a start with thousands of accounts overloads none. */
export interface LoginLimiter {
  /**
   * Waits for a permit, FIFO per host; dispose it when the login is complete. With `viaProxy` the
   * address of the host is not limited, because the proxy resolves it.
   *
   * @throws AppError `unavailable` when the signal aborts
   */
  acquire(host: string, signal: AbortSignal, options?: { viaProxy?: boolean }): Promise<Disposable>
  /** Key of the limits of a host: its address if it was resolved, else its name. */
  keyOf(host: string): string
}

/** Limits of logins. `perSecond` may change while callers wait. */
export type LoginLimits = Omit<Config['logins'], 'perSecond'> & {
  perSecond: number | (() => number)
}

/** Finds one address of a host, the same at each call; undefined if it cannot be resolved. */
export type FindAddress = (host: string, signal: AbortSignal) => Promise<string | undefined>

/** Compensates late timers: permits may run ahead of an even pace by this time. */
const toleranceMs = 50
/** Maximum hosts and addresses with a pace; evicted ones start again without a delay. */
const maxPaces = 10_000
const maxAddresses = 10_000

/**
 * Takes permits of the host name, then of its address, then of all logins: callers waiting for the
 * last one block no other host.
 */
export function createLoginLimiter(
  { perHost, perSecond, concurrent }: LoginLimits,
  findAddress: FindAddress = cacheAddresses(),
): LoginLimiter {
  const all = new Semaphore(concurrent)
  const semaphores = new KeyedSemaphore(perHost)
  const paces = new TtlCache<string, RateLimiter>({ max: maxPaces })
  const addresses = new TtlCache<string, string>({ max: maxAddresses })
  return {
    keyOf: (host) => addresses.get(host.toLowerCase()) ?? host.toLowerCase(),
    async acquire(host, signal, { viaProxy = false } = {}) {
      using permits = new DisposableStack()
      const acquirePaced = async (key: string) => {
        permits.use(await semaphores.acquire(key, signal))
        const pace = paces.getOrCreate(key, () => new RateLimiter({ perSecond, toleranceMs }))
        await pace.acquire(signal)
      }
      try {
        await acquirePaced(`host ${host.toLowerCase()}`)
        const address = viaProxy ? undefined : await findAddress(host, signal)
        if (address !== undefined) {
          addresses.set(host.toLowerCase(), address)
          await acquirePaced(`address ${address}`)
        }
        permits.use(await all.acquire(signal))
      } catch (cause) {
        if (!signal.aborted) throw cause
        throw new AppError('unavailable', 'Waiting for a login permit was cancelled', { cause })
      }
      return permits.move()
    },
  }
}

const addressTtlMs = 60_000
/** libuv resolves names on four threads; more lookups would delay file access. */
const maxLookups = 8
const lookupTimeoutMs = 5_000

/** Addresses of hosts by the system's resolver, cached for 60 s. */
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
