import { network } from './addresses.ts'

const forgetMs = 15 * 60_000
const maxDelayMs = 15_000
const maxEntries = 20_000

/** Failures that cost nothing: somebody pasted the wrong token. */
const freePair = 1
/** Of one address, whatever the accounts: a few people behind one router. */
const freeAddress = 5
/** Of one account, wherever from: its owner's devices after the token was replaced. */
const freeAccount = 20

interface Failures {
  count: number
  last: number
}

/**
 * Makes guessing slow: each failure of an address at an account doubles how long the next one takes, and each of an address at
 * any account adds to it, as does each at an account from any address. A login that is right never waits. Forgotten after a quarter of an hour, or by a success of the pair. In
 * memory, of this process alone.
 */
export class Penalties {
  readonly #failures = new Map<string, Failures>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Notes a failure; says how long its answer waits, in milliseconds. */
  failed(address: string, account: string): number {
    const ofPair = this.#add(pairKey(address, account)) - freePair
    const ofAddress = this.#add(network(address)) - freeAddress
    const ofAccount = this.#add(accountKey(account)) - freeAccount
    const delay = Math.max(
      ofPair > 0 ? 250 * 2 ** Math.min(ofPair, 10) : 0,
      250 * Math.max(ofAddress, ofAccount, 0),
    )
    return Math.min(delay, maxDelayMs)
  }

  succeeded(address: string, account: string): void {
    this.#failures.delete(pairKey(address, account))
  }

  #count(key: string): number {
    const failures = this.#failures.get(key)
    return failures && this.#now() - failures.last < forgetMs ? failures.count : 0
  }

  #add(key: string): number {
    const count = this.#count(key) + 1
    this.#failures.delete(key)
    this.#failures.set(key, { count, last: this.#now() })
    // The oldest go first: a Map keeps the order of insertion.
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > maxEntries && oldest !== undefined) this.#failures.delete(oldest)
    return count
  }
}

const accountKey = (account: string) => ` ${account.slice(0, 256)}`
const pairKey = (address: string, account: string) => network(address) + accountKey(account)
