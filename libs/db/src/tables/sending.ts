import type { Generated } from 'kysely'

/**
 * Locks of accounts with a mail API. While an account is locked, one sender works for the account.
 * Written by sender.
 */
export interface SendingLocks {
  account: string
  /** Id of the submission or draft cleanup for which the lock of the account was last taken. */
  queueId: string
  /** Id of the sender process that holds the lock of the account. */
  worker: string
  leaseUntil: Date
  /**
   * Time until which the mail provider refuses requests for the account. Null if the provider
   * accepts requests.
   */
  pausedUntil: Date | null
}

/**
 * Submissions that may have left drafts at a mail provider. Written by sender. A row can outlive
 * its submission.
 */
export interface DraftCleanups {
  queueId: string
  account: string
  /** Message-ID of the submission, by which drafts of the submission are found. */
  messageId: string
  /** Id of a draft at the mail provider whose submission was not sent. */
  draftId: string | null
  createdAt: Generated<Date>
  checkAt: Date
  /** Number of successful searches for drafts that may remain at the mail provider. */
  checks: Generated<number>
  /** Time until which a sender has leased the cleanup of drafts that remain at a mail provider. */
  leaseUntil: Date | null
}

/**
 * Running sender processes, which share the request limits of an OAuth2 application. Written by
 * sender.
 */
export interface Senders {
  id: string
  heartbeatAt: Generated<Date>
  /** True for a sender that can borrow a mailbox's quota units of a mail API from sync-workers. */
  lends: Generated<boolean>
}

/**
 * Quota units of mail APIs, per mailbox, that senders use while no sync-worker lends units. One
 * token bucket per mailbox. Written by sender.
 */
export interface SendingReserves {
  account: string
  units: number
  updatedAt: Date
}
