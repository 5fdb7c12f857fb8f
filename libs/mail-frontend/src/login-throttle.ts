import { type Clock, TtlCache } from '@posthorn/flow'
import { networkOf } from '@posthorn/net/addresses'

/** Time after the last failure of an entry at which the entry expires. */
const expiryMs = 15 * 60_000
const maxDelayMs = 15_000
const maxEntries = 20_000

/** Failures without a delay per address and account, such as a wrong token pasted once. */
const freePerPair = 1
/** Failures without a delay per address: several users may share one router. */
const freePerAddress = 5
/** Failures without a delay per account: the owner's devices fail when the token is replaced. */
const freePerAccount = 20

/**
 * Delays the replies to failed logins. Each failure of an address at one account doubles the delay;
 * failures per address and per account add to it linearly. Successful logins are not delayed.
 * Counts expire 15 minutes after the last failure, or with a success of the pair. Counts are kept
 * in memory, per process.
 */
export class LoginThrottle {
  readonly #failures: TtlCache<string, number>

  constructor(clock: Clock = Date.now) {
    this.#failures = new TtlCache({ ttlMs: expiryMs, max: maxEntries, clock })
  }

  /** Counts a failure and returns the delay of its reply in milliseconds. */
  recordFailure(address: string, account: string): number {
    const pair = this.#add(pairKey(address, account)) - freePerPair
    const byAddress = this.#add(networkOf(address)) - freePerAddress
    const byAccount = this.#add(accountKey(account)) - freePerAccount
    const delay = Math.max(
      pair > 0 ? 250 * 2 ** Math.min(pair, 10) : 0,
      250 * Math.max(byAddress, byAccount, 0),
    )
    return Math.min(delay, maxDelayMs)
  }

  recordSuccess(address: string, account: string): void {
    this.#failures.delete(pairKey(address, account))
  }

  #add(key: string): number {
    const count = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, count)
    return count
  }
}

const accountKey = (account: string) => ` ${account.slice(0, 256)}`
const pairKey = (address: string, account: string) => networkOf(address) + accountKey(account)
