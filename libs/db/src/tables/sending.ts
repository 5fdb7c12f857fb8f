import type { Generated } from 'kysely'

/**
 * Locks of accounts at a mail API: a lock means that a sender works for the account. Written by
 * sender.
 */
export interface SendingLocks {
  account: string
  /** Submission or cleanup for which the lock was taken last. */
  queueId: string
  /** Sender process that has the lock of the account. */
  worker: string
  leaseUntil: Date
  /** Time before which the mail provider permits no request for the account. Null: no such time. */
  pausedUntil: Date | null
}

/**
 * Submissions of which drafts may be left at a mail provider. Written by sender. A row outlives its
 * submission.
 */
export interface DraftCleanups {
  queueId: string
  account: string
  /** Message-ID of the submission, by which its drafts are found. */
  messageId: string
  /** Draft at the provider of a submission that was not sent, as committed. */
  draftId: string | null
  createdAt: Generated<Date>
  checkAt: Date
  /** Number of successful checks for drafts that are left. */
  checks: Generated<number>
  /** End of the lease that a sender has on the cleanup. */
  leaseUntil: Date | null
}

/** Sender processes, which share the limits of an OAuth2 application. Written by sender. */
export interface Senders {
  id: string
  heartbeatAt: Generated<Date>
  /** True for senders that borrow units of mailboxes from sync-workers. */
  lends: Generated<boolean>
}

/**
 * Units of mailboxes that senders use while no sync-worker lends units: one token bucket per
 * mailbox. Written by sender.
 */
export interface SendingReserves {
  account: string
  units: number
  updatedAt: Date
}
