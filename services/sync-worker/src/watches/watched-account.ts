import type { MailApiWatches } from '@posthorn/backends/mail-api'
import type { Provider } from '@posthorn/contracts/account-types'
import type { NoticedMessage } from '@posthorn/contracts/commands/notices'
import type { Logger } from '@posthorn/telemetry'
import type { AccountLease } from '../store/lease.ts'

/** Account whose provider can notify. Implemented by the session or driver of the account. */
export interface WatchedAccount {
  readonly lease: AccountLease
  /** Part of event ids. Epoch milliseconds. */
  readonly registeredAt: number
  readonly provider: Provider
  /**
   * Client whose destination is this account. Undefined if notifications have no destination:
   * without a public URL, or without an application for Pub/Sub. The account is then polled.
   *
   * @throws AppError
   */
  openWatches(): Promise<MailApiWatches | undefined>
  /**
   * Called for each notification. `changed`: read the feeds of these messages soon, or all feeds
   * without named messages. `missed`: changes may have been lost, so compare all messages.
   */
  onNotice(notice: SyncNotice, messages?: readonly NoticedMessage[]): void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Reason for a sync. */
export type SyncNotice = 'changed' | 'missed'

/** Watch of an account of this worker. Disposal ends the local work, not the watch. */
export interface WatchHandle extends Disposable {
  /** True while the provider notifies, so that polling can be slow. */
  readonly isActive: boolean
  /** True while the provider refuses to notify and the mailbox has many feeds to poll. */
  readonly isRefused: boolean
  /** Id of the watch at the provider. Also available after disposal. */
  readonly remoteId: string | undefined
  /**
   * Reports a change that a poll detected and no notification had announced, with the time of the
   * change. If the provider has been silent about the change for 5 min, the watch is replaced, at
   * most once an hour.
   */
  reportUnnoticed(changedAt: Date): void
  /** Ends renewals until the account is added again. Notifications still reach the account. */
  pause(): void
}
