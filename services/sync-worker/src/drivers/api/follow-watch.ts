import type { MailApi, MailApiUse } from '@posthorn/backends/mail-api'
import {
  apiAccountTypes,
  type NotificationTraits,
  type Provider,
} from '@posthorn/contracts/account-types'
import type { Account } from '../../store/accounts.ts'
import type { Destinations } from '../../watches/destinations.ts'
import type { WatchedAccount, WatchHandle } from '../../watches/watched-account.ts'
import type { DriverContext } from '../account-driver.ts'

/** Reasons of the next passes over the feeds. They outlive a failed pass. */
export class PassReasons {
  #requested = 0
  #completed = 0
  #isUnnamed = false

  /** A notification named no messages. */
  noteUnnamed(): void {
    this.#isUnnamed = true
  }

  /** True if a notification without messages came since the last call. */
  takeUnnamed(): boolean {
    const isNoted = this.#isUnnamed
    this.#isUnnamed = false
    return isNoted
  }

  /** Number of the last requested comparison of all messages, if a pass has to run it. */
  get comparison(): number | undefined {
    return this.#requested > this.#completed ? this.#requested : undefined
  }

  /** Lets the next successful pass compare all messages. */
  requestComparison(): void {
    this.#requested += 1
  }

  /** Marks a comparison and earlier ones as done. */
  completeComparison(comparison: number): void {
    this.#completed = comparison
  }
}

/** Account whose provider may notify. */
export interface NotifiedAccount {
  readonly context: Pick<DriverContext, 'requests' | 'log'>
  /** Application of the account's grant. @throws AppError if there are no credentials */
  application(signal: AbortSignal): Promise<string>
  open(use: MailApiUse, signal: AbortSignal): Promise<MailApi>
  readonly reasons: PassReasons
  /** Watch of the last `follow`. The session disposes it. */
  watch: WatchHandle | undefined
}

export interface WatchedFeeds {
  provider: Provider
  destinations: Destinations
  account: Account
  signal: AbortSignal
}

/** The account as the registry of watches uses it: notices start passes. */
export function watchedAccount(
  followed: NotifiedAccount,
  { provider, destinations, account, signal }: WatchedFeeds,
): WatchedAccount {
  const { reasons } = followed
  const { requests, log } = followed.context
  const findDestination: Record<NotificationTraits['transport'], () => Promise<unknown>> = {
    push: () => destinations.findUrls(account.account),
    pull: async () => destinations.findTopic(await followed.application(signal)),
    none: () => Promise.resolve(account.account), // the client listens itself
  }
  const { transport } = apiAccountTypes[provider].notifications
  return {
    lease: account.lease,
    registeredAt: account.registeredAt,
    provider,
    log,
    async openWatches() {
      const hasDestination = (await findDestination[transport]()) !== undefined
      return hasDestination ? followed.open({ priority: 'sync' }, signal) : undefined
    },
    onNotice(notice, messages) {
      if (notice === 'missed') reasons.requestComparison()
      else if (messages) return requests.requestMessages(messages)
      else reasons.noteUnnamed()
      requests.requestFull()
    },
  }
}
