import { reverse } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { hostname } from 'node:os'

type Reverse = (address: string) => Promise<string[]>

/** How long an answer of the DNS is believed, and how long it may take. */
const keepMs = 3_600_000
const waitMs = 2_000
const maxKnown = 1_000

/** What EHLO says for an address of ours: the name that the DNS knows it by, which is what receivers compare, else the machine's or the address. */
export class EhloNames {
  readonly #known = new Map<string, { name: Promise<string>; until: number }>()
  readonly #reverse: Reverse
  readonly #machine: string

  constructor(ask: Reverse = reverse, machine = hostname()) {
    this.#reverse = ask
    this.#machine = machine
  }

  of(localAddress: string | undefined): Promise<string> {
    if (localAddress === undefined) return Promise.resolve(this.#ownName('127.0.0.1'))
    const found = this.#known.get(localAddress)
    if (found && found.until > Date.now()) return found.name
    if (this.#known.size >= maxKnown) this.#known.clear()
    const name = this.#ask(localAddress)
    this.#known.set(localAddress, { name, until: Date.now() + keepMs })
    return name
  }

  async #ask(address: string): Promise<string> {
    const { promise: late, resolve: giveUp } = Promise.withResolvers<string[]>()
    const timer = setTimeout(() => giveUp([]), waitMs)
    const names = await Promise.race([this.#reverse(address).catch(() => []), late])
    clearTimeout(timer)
    return names.find(isHostName) ?? this.#ownName(address)
  }

  /** RFC 5321 §4.1.4: whoever has no name with a domain, as in a container, says an address. Many servers refuse a bare name. */
  #ownName(address: string): string {
    if (this.#machine.includes('.') && isHostName(this.#machine)) return this.#machine
    return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`
  }
}

function isHostName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name)
}
