import { Batcher, TtlCache } from '@posthorn/flow'

/** Hash of the secret in a provider notification, and the account that the notification names. */
export interface AccountSecret {
  readonly account: string
  readonly secretHash: string
}

export interface KnownSecretsOptions {
  /**
   * Lists the hashes of the secrets that belong to the watches (registrations for provider
   * notifications) of accounts.
   */
  list: (accounts: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
}

/**
 * Lifetime of a cached secret of a watch (registration for provider notifications). Watches are
 * renewed daily; secrets of earlier watches have no effect.
 */
const ttlMs = 3_600_000
/**
 * Maximum accounts whose watch secrets (secrets in provider notifications) are in memory, about 20
 * MB.
 */
const maxAccounts = 100_000
/**
 * Maximum secrets of provider notifications that wait for a Postgres query. Further secrets count
 * as unknown.
 */
const maxWaiting = 1_000

/**
 * Cache of the secrets of watches (registrations for provider notifications), as hashes. Unknown
 * secrets cause at most one Postgres query at a time. Comparing hashes in variable time reveals
 * nothing about a secret.
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

  /**
   * True if an earlier look-up found the secret of a notification at a watch (registration for
   * notifications) of the account.
   */
  has({ account, secretHash }: AccountSecret): boolean {
    return this.#secrets.get(account)?.has(secretHash) ?? false
  }

  /**
   * Looks up the secret of a notification in Postgres. False if no watch (registration for
   * notifications) of the account has the secret, or if Postgres is unavailable.
   */
  async find(secret: AccountSecret): Promise<boolean> {
    if (this.#lookups.waiting >= maxWaiting) return false
    return await this.#lookups.add(secret).catch(() => false)
  }

  /**
   * Caches the secrets of an account's watches (registrations for notifications) if the secret of a
   * notification is one of these secrets.
   */
  #learn({ account, secretHash }: AccountSecret, stored: readonly string[]): boolean {
    const isGenuine = stored.includes(secretHash)
    if (isGenuine) this.#secrets.set(account, new Set(stored))
    return isGenuine
  }
}
