import type { MailApi, MailApiUse } from '@posthorn/backends/mail-api'
import {
  apiAccountTypes,
  type NotificationTraits,
  type Provider,
} from '@posthorn/contracts/account-types'
import type { Account } from '../../store/accounts.ts'
import type { Destinations } from '../../watches/destinations.ts'
import type { WatchedAccount, WatchHandle } from '../../watches/account-watch.ts'
import type { DriverContext } from '../account-driver.ts'

/** Account whose mail provider may send notifications. */
export interface NotifiedAccount {
  readonly context: Pick<DriverContext, 'sync' | 'log'>
  /**
   * Returns the id of the OAuth2 application that the account's grant belongs to.
   * @throws AppError if there are no credentials
   */
  application(signal: AbortSignal): Promise<string>
  open(use: MailApiUse, signal: AbortSignal): Promise<MailApi>
  /**
   * Watch (registration for notifications) of the last `follow`. Disposed by the account session.
   */
  watch: WatchHandle | undefined
}

export interface WatchedFeeds {
  provider: Provider
  destinations: Destinations
  account: Account
  signal: AbortSignal
}

/**
 * Describes the account for the registry of watches (registrations for notifications). The
 * account's notifications start sync passes.
 */
export function watchedAccount(
  followed: NotifiedAccount,
  { provider, destinations, account, signal }: WatchedFeeds,
): WatchedAccount {
  const { sync, log } = followed.context
  const findDestination: Record<NotificationTraits['transport'], () => Promise<unknown>> = {
    push: () => destinations.findUrls(account.account),
    pull: async () => destinations.findTopic(await followed.application(signal)),
    none: () => Promise.resolve(account.account), // the mail API client itself gets notifications
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
    onNotification(reason, messages) {
      sync.trigger({ kind: 'push', isMissed: reason === 'missed', messages })
    },
  }
}
