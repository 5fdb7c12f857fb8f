import type { Generated } from 'kysely'

/** Accounts at a mail API for which a sender works. Written by sender. */
export interface SendingLocks {
  account: string
  /** Submission or cleanup for which the lock was taken last. */
  queueId: string
  /** Sender process that has the lock. */
  worker: string
  leaseUntil: Date
  /** The provider asked for no request before. Null: it did not. */
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
  /** A sender holds the cleanup until then. */
  leaseUntil: Date | null
}

/** Sender processes, which share the limits of an OAuth2 application. Written by sender. */
export interface Senders {
  id: string
  heartbeatAt: Generated<Date>
}
