import { gmailPushUrl } from '@posthorn/contracts/notification-urls'
import type { Db, SettingsCache } from '@posthorn/db'
import { type PeriodicTask, runPeriodically, TtlCache } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import {
  findAccountsOfUser,
  listPubSubApps,
  type PubSubApp,
} from '../../store/oauth2/pubsub-apps.ts'
import type { PushExpectation, PushSigner } from './push-token.ts'

/** Interval at which the OAuth2 applications for Pub/Sub are read again without an invalidation. */
const refreshMs = 60_000
/**
 * Lifetime of the cached list of a mailbox's accounts. Until a list expires, a new account is
 * missing in it, and changes of the new account are found by polling.
 */
const accountsTtlMs = 30_000
/** Maximum mailboxes whose lists of accounts are cached, about 10 MB. */
const maxMailboxes = 50_000

export interface PushTrustDeps {
  readonly db: Db
  readonly settings: Pick<SettingsCache, 'get'>
  readonly log: Logger
}

/**
 * Cache of the OAuth2 applications for Pub/Sub, of their service accounts, and of the accounts per
 * mailbox. Applications and service accounts are read periodically and on `wake`, never by a
 * request. Accounts are loaded only for a verified push.
 */
export class PushTrust implements AsyncDisposable {
  readonly #deps: PushTrustDeps
  readonly #refreshing: PeriodicTask
  readonly #accounts = new TtlCache<string, string[]>({ ttlMs: accountsTtlMs, max: maxMailboxes })
  #current: Omit<PushExpectation, 'now'> = { audience: '', signers: [] }
  /** Ids of OAuth2 applications for accounts, by the id of their application for Pub/Sub. */
  #linked: ReadonlyMap<string, readonly string[]> = new Map()

  constructor(deps: PushTrustDeps) {
    this.#deps = deps
    const refresh = { everyMs: refreshMs, log: deps.log, name: 'pubsub applications' }
    this.#refreshing = runPeriodically(refresh, () => this.#refresh())
  }

  get current(): Omit<PushExpectation, 'now'> {
    return this.#current
  }

  /**
   * Reads the OAuth2 applications for Pub/Sub and the settings immediately, instead of at the next
   * periodic refresh.
   */
  wake(): void {
    this.#refreshing.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#refreshing[Symbol.asyncDispose]()
  }

  /**
   * Reads the OAuth2 applications for Pub/Sub and the settings. Every Pub/Sub push is rejected
   * until the first refresh.
   */
  async #refresh(): Promise<void> {
    const { db, settings } = this.#deps
    const [apps, { notificationBaseUrl, serviceUrl }] = await Promise.all([
      listPubSubApps(db),
      settings.get(),
    ])
    const base = notificationBaseUrl ?? serviceUrl
    this.#linked = new Map(apps.map(({ id, linked }) => [id, linked]))
    this.#current = {
      audience: base ? gmailPushUrl(base) : '',
      signers: base ? signersOf(apps) : [],
    }
  }

  /**
   * Finds the accounts of a mailbox whose OAuth2 applications are linked to one of the applications
   * for Pub/Sub.
   */
  findAccounts(apps: readonly string[], user: string): Promise<string[]> {
    const linked = apps.flatMap((app) => this.#linked.get(app) ?? [])
    if (linked.length === 0) return Promise.resolve([])
    return this.#accounts.load(JSON.stringify([linked, user]), () =>
      findAccountsOfUser(this.#deps.db, linked, user),
    )
  }
}

/**
 * Service accounts that sign Pub/Sub pushes. Several OAuth2 applications may share a service
 * account.
 */
function signersOf(apps: readonly PubSubApp[]): PushSigner[] {
  const byEmail = Map.groupBy(apps, ({ email }) => email?.toLowerCase() ?? '')
  byEmail.delete('')
  return [...byEmail].map(([email, signed]) => ({ email, apps: signed.map(({ id }) => id) }))
}
