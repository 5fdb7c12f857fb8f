import { reverse } from 'node:dns/promises'
import { hostname } from 'node:os'

type Reverse = (address: string) => Promise<string[]>

/** How long an answer of the DNS is believed, and how long it may take. */
const keepMs = 3_600_000
const waitMs = 2_000
const maxKnown = 1_000

/** What EHLO says for an address of ours: the name that the DNS knows it by, which is what receivers compare, else the machine's. */
export class EhloNames {
  readonly #known = new Map<string, { name: Promise<string>; until: number }>()
  readonly #reverse: Reverse

  constructor(ask: Reverse = reverse) {
    this.#reverse = ask
  }

  of(localAddress: string | undefined): Promise<string> {
    if (localAddress === undefined) return Promise.resolve(hostname())
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
    return names.find(isHostName) ?? hostname()
  }
}

function isHostName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name)
}
