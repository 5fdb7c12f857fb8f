import { AppError } from '@posthorn/errors'
import { resolveAllowed } from '@posthorn/net'

export interface LoginLimits {
  /** Logins at one host, and at one address whatever names it has, at the same time. */
  readonly perHost: number
  /** Logins begun in a second, at one host or address. */
  readonly perSecond: number
  /** Logins at the same time, wherever. */
  readonly concurrent: number
}

/** Lets logins happen one after the other, so that a start with thousands of accounts is no stampede. */
export interface LoginLimiter {
  /**
   * Waits for a turn, first come, first served; call what it returns when the login is through. `byName`: the address is not ours to
   * find out. Rejects when the signal aborts.
   */
  acquire(host: string, signal: AbortSignal, how?: { byName?: boolean }): Promise<() => void>
}

/** Finds one address of a host, always the same one of several; undefined where it cannot be found. */
export type FindAddress = (host: string, signal: AbortSignal) => Promise<string | undefined>

/** A turn at the host, then at its address, then among all: whoever waits for the last keeps no other host waiting. */
export function createLoginLimiter(
  { perHost, perSecond, concurrent: atOnce }: LoginLimits,
  addressOf: FindAddress = cacheAddresses(),
): LoginLimiter {
  const gates = new Map<string, Gate>()
  const gate = (name: string) => {
    const known = gates.get(name)
    if (known) return known
    const made = new Gate({ max: perHost, everyMs: 1_000 / perSecond }, () => gates.delete(name))
    gates.set(name, made)
    return made
  }
  const all = new Gate({ max: atOnce, everyMs: 0 })
  return {
    async acquire(host, signal, { byName = false } = {}) {
      await using passed = new AsyncDisposableStack()
      const pass = async (next: Gate) => passed.defer(await next.pass(signal))
      await pass(gate(`host ${host.toLowerCase()}`))
      const address = byName ? undefined : await addressOf(host, signal)
      if (address !== undefined) await pass(gate(`address ${address}`))
      await pass(all)
      const held = passed.move()
      return () => void held.disposeAsync()
    },
  }
}

/** So much of the pace that was not used is made good for at once: a timer that is late costs no turns. */
const creditMs = 50

/** Lets so many be inside at the same time, at a pace, in the order they came. Every step takes the same time, however many wait. */
class Gate {
  readonly #max: number
  readonly #everyMs: number
  readonly #unused: () => void
  // A Set keeps the order of insertion, and gives up any of its members at once.
  readonly #waiting = new Set<() => void>()
  #inside = 0
  #nextAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ max, everyMs }: { max: number; everyMs: number }, unused = () => {}) {
    this.#max = max
    this.#everyMs = everyMs
    this.#unused = unused
  }

  /** Resolves inside. Call what it returns to leave; again does nothing. */
  async pass(signal: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      this.#waiting.delete(resolve)
      this.#admit()
      const message = 'Gave up waiting for a turn to log in'
      reject(new AppError('unavailable', message, { cause: signal.reason }))
    }
    signal.throwIfAborted()
    signal.addEventListener('abort', giveUp, { once: true })
    this.#waiting.add(resolve)
    this.#admit()
    await promise
    signal.removeEventListener('abort', giveUp)
    let left = false
    return () => {
      if (left) return
      left = true
      this.#inside--
      this.#admit()
    }
  }

  #admit(): void {
    clearTimeout(this.#timer)
    for (const enter of this.#waiting) {
      if (this.#inside >= this.#max) return
      const now = performance.now()
      if (now < this.#nextAt) {
        this.#timer = setTimeout(() => this.#admit(), Math.ceil(this.#nextAt - now))
        return
      }
      this.#nextAt = Math.max(this.#nextAt, now - creditMs) + this.#everyMs
      this.#inside++
      this.#waiting.delete(enter)
      enter()
    }
    if (this.#inside > 0) return
    // Whoever comes back at once is to find the pace as it was.
    this.#timer = setTimeout(() => this.#inside === 0 && this.#unused(), this.#everyMs)
    this.#timer.unref()
  }
}

const rememberedMs = 60_000
const maxRemembered = 10_000
/** The resolver of the system has four threads. */
const lookupsAtOnce = 8
const lookupMs = 5_000

/** Addresses by the system's resolver, asked once a minute for each host. */
export function cacheAddresses(resolve = resolveAllowed, now = Date.now): FindAddress {
  const known = new Map<string, { address: Promise<string | undefined>; until: number }>()
  const gate = new Gate({ max: lookupsAtOnce, everyMs: 0 })
  const find = async (host: string) => {
    const signal = AbortSignal.timeout(lookupMs)
    try {
      const leave = await gate.pass(signal)
      // Whether it may be connected to is decided where that is done.
      const found = await resolve(host, 'off', { signal }).finally(leave)
      return found.map(({ address }) => address).toSorted()[0]
    } catch {
      return undefined
    }
  }
  return async (host) => {
    const before = known.get(host)
    if (before && before.until > now()) return before.address
    const address = find(host)
    known.delete(host)
    known.set(host, { address, until: now() + rememberedMs })
    // The oldest goes first: a Map keeps the order of insertion.
    for (const oldest of known.keys()) {
      if (known.size <= maxRemembered) break
      known.delete(oldest)
    }
    return address
  }
}
