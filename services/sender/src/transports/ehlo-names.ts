import { reverse } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { hostname } from 'node:os'

type ReverseLookup = (address: string) => Promise<string[]>

const cacheMs = 3_600_000
const lookupTimeoutMs = 2_000
const maxCached = 1_000

/**
 * Names for EHLO. Receivers compare the name with the reverse DNS record of the address, so that
 * name is preferred, then the machine's name, then an address literal.
 */
export class EhloNames {
  readonly #cache = new Map<string, { name: Promise<string>; until: number }>()
  readonly #reverse: ReverseLookup
  readonly #machine: string

  constructor(lookup: ReverseLookup = reverse, machine = hostname()) {
    this.#reverse = lookup
    this.#machine = machine
  }

  of(localAddress: string | undefined): Promise<string> {
    if (localAddress === undefined) return Promise.resolve(this.#fallback('127.0.0.1'))
    const cached = this.#cache.get(localAddress)
    if (cached && cached.until > Date.now()) return cached.name
    if (this.#cache.size >= maxCached) this.#cache.clear()
    const name = this.#lookUp(localAddress)
    this.#cache.set(localAddress, { name, until: Date.now() + cacheMs })
    return name
  }

  async #lookUp(address: string): Promise<string> {
    const { promise: timeout, resolve: onTimeout } = Promise.withResolvers<string[]>()
    const timer = setTimeout(() => onTimeout([]), lookupTimeoutMs)
    const names = await Promise.race([this.#reverse(address).catch(() => []), timeout])
    clearTimeout(timer)
    return names.find(isHostName) ?? this.#fallback(address)
  }

  /** RFC 5321 §4.1.4: without a qualified name, as in a container, the client sends its address. */
  #fallback(address: string): string {
    if (this.#machine.includes('.') && isHostName(this.#machine)) return this.#machine
    return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`
  }
}

function isHostName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name)
}
