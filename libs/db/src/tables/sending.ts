import type { Generated } from 'kysely'

/** Accounts at a mail API for which a sender works. Written by sender. */
export interface SendingLocks {
  account: string
  /** Submission or cleanup for which the lock was taken last. */
  queueId: string
  /** Sender process that has the lock of the account. */
  worker: string
  leaseUntil: Date
  /** Time before which the provider permits no request. Null: no such time. */
  pausedUntil: Date | null
}

/**
 * Submissions of which drafts may be left at a provider. Written by sender. Outlives the
 * submission.
 */
export interface DraftCleanups {
  queueId: string
  account: string
  /** Message-ID of the submission, by which its drafts are found. */
  messageId: string
  /** Committed draft of a submission that was not sent. */
  draftId: string | null
  createdAt: Generated<Date>
  checkAt: Date
  /** Number of successful checks. */
  checks: Generated<number>
  /** End of the lease that a sender has on the cleanup. */
  leaseUntil: Date | null
}

/** Sender processes, which share the limits of an OAuth2 application. Written by sender. */
export interface Senders {
  id: string
  heartbeatAt: Generated<Date>
}
