import { isMailApiError, type MailApiFailure } from '@posthorn/backends/mail-api'

/** Failures of a mail API that concern the whole mailbox, independent of the request. */
const mailboxFailures: ReadonlySet<MailApiFailure> = new Set([
  'rate-limited',
  'mailbox-full',
  'token-rejected',
  'unlicensed',
])

/**
 * Failures of a mail API that concern either the whole mailbox or the requested object. The
 * provider's response does not show which.
 */
const unclearFailures: ReadonlySet<MailApiFailure> = new Set([
  'unavailable',
  'access-denied',
  'mailbox-disabled',
])

/** Content of a message that the provider refuses to return, so that the event lacks it. */
export interface Refusal {
  /** Id of the message with content that the provider refuses. */
  id: string
  part: 'attachment' | 'attachment-list' | 'source' | 'texts' | 'message'
  err: unknown
}

/** Called for each content that an event lacks because the provider refused the content. */
export type OnRefusal = (refusal: Refusal) => void

/** True for failures of a whole mailbox, and for errors that do not come from the mail provider. */
export function isMailboxFailure(error: unknown): boolean {
  return !isMailApiError(error) || mailboxFailures.has(error.failure)
}

/** True if a failure of a mail API may concern either the whole mailbox or the requested object. */
export function isUnclear(error: unknown): boolean {
  return isMailApiError(error) && unclearFailures.has(error.failure)
}

/**
 * Returns normally if a failure of a mail API concerns only the requested object, such as a
 * message. If this is unclear, `probe` requests another object. If the probe fails, too, throws, so
 * that the work is repeated after an outage of the provider and no content is lost.
 *
 * @throws the failure, if it concerns the whole mailbox
 */
export async function expectObjectFailure(
  error: unknown,
  probe: () => Promise<unknown>,
): Promise<void> {
  if (isMailboxFailure(error)) throw error
  if (!isUnclear(error)) return
  try {
    await probe()
  } catch (other) {
    if (isMailboxFailure(other) || isUnclear(other)) throw other
  }
}
