import { Batcher, TtlCache } from '@posthorn/flow'

/** Hash of a secret in a notification, and the account that the notification names. */
export interface AccountSecret {
  readonly account: string
  readonly secretHash: string
}

export interface KnownSecretsOptions {
  /** Lists the hashes of the secrets of accounts. */
  list: (accounts: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
}

/** Lifetime of a secret in memory. Watches are renewed daily; old secrets have no effect. */
const ttlMs = 3_600_000
/** Maximum accounts in memory, about 20 MB. */
const maxAccounts = 100_000
/** Maximum secrets that wait for a query. Secrets beyond this number count as unknown. */
const maxWaiting = 1_000

/**
 * Secrets of watches, as hashes. One query is in flight, so that unknown secrets cost at most one
 * query at a time. Comparing hashes in variable time reveals nothing about a secret.
 */
export class KnownSecrets {
  readonly #secrets = new TtlCache<string, ReadonlySet<string>>({ ttlMs, max: maxAccounts })
  readonly #lookups: Batcher<AccountSecret, boolean>

  constructor({ list }: KnownSecretsOptions) {
    this.#lookups = new Batcher({
      run: async (wanted) => {
        const stored = await list([...new Set(wanted.map(({ account }) => account))])
        return wanted.map((secret) => this.#learn(secret, stored.get(secret.account) ?? []))
      },
    })
  }

  /** True for the secret of a watch that an earlier look-up found. */
  has({ account, secretHash }: AccountSecret): boolean {
    return this.#secrets.get(account)?.has(secretHash) ?? false
  }

  /** Looks a secret up. False if no watch has the secret, and during an outage of Postgres. */
  async find(secret: AccountSecret): Promise<boolean> {
    if (this.#lookups.waiting >= maxWaiting) return false
    return await this.#lookups.add(secret).catch(() => false)
  }

  /**
   * Caches the stored secrets of an account if the notification proves that the account has a
   * watch.
   */
  #learn({ account, secretHash }: AccountSecret, stored: readonly string[]): boolean {
    const isGenuine = stored.includes(secretHash)
    if (isGenuine) this.#secrets.set(account, new Set(stored))
    return isGenuine
  }
}
