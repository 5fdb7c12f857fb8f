import { type Clock, TtlCache } from '@posthorn/flow'
import { networkOf } from '@posthorn/net/addresses'

/** Time after the last failed login of a mail client at which the count of failures expires. */
const expiryMs = 15 * 60_000
const maxDelayMs = 15_000
const maxEntries = 20_000

/**
 * Number of failed logins per address and account whose replies are not delayed. A wrong token, for
 * example, may be tried once.
 */
const freePerPair = 1
/**
 * Number of failed logins per IP address whose replies are not delayed. Several users may share one
 * router.
 */
const freePerAddress = 5
/**
 * Number of failed logins per account whose replies are not delayed. When a token is replaced, all
 * devices of its owner fail at first.
 */
const freePerAccount = 20

/**
 * Delays the replies to failed logins of mail clients. Each failure of an address at one account
 * doubles the delay. Failures per address and per account give a delay that grows linearly; the
 * longer delay applies. Successful logins are not delayed. Counts expire 15 minutes after the last
 * failure; a success deletes the count of its address and account. Counts are kept in memory, per
 * process.
 */
export class LoginThrottle {
  readonly #failures: TtlCache<string, number>

  constructor(clock: Clock = Date.now) {
    this.#failures = new TtlCache({ ttlMs: expiryMs, max: maxEntries, clock })
  }

  /** Counts a failed login of a mail client and returns the delay of its reply in milliseconds. */
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
