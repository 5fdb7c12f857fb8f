import { isMailApiError, type MailApiFailure } from '@posthorn/backends/mail-api'

/** Failures of a mail API that concern the mailbox, whatever was requested. */
const mailboxFailures: ReadonlySet<MailApiFailure> = new Set([
  'rate-limited',
  'mailbox-full',
  'token-rejected',
  'unlicensed',
])

/** Failures of the mailbox or of one object: the mail API's response does not tell which. */
const unclearFailures: ReadonlySet<MailApiFailure> = new Set([
  'unavailable',
  'access-denied',
  'mailbox-disabled',
])

/** Content of a message that the provider refuses. The event of the message lacks the content. */
export interface Refusal {
  /** Id of the message. */
  id: string
  part: 'attachment' | 'attachment-list' | 'source' | 'texts' | 'message'
  err: unknown
}

/** Records that the event of a message lacks a content. */
export type OnRefusal = (refusal: Refusal) => void

/** True for failures of the mailbox, and for errors that do not come from the mail provider. */
export function isMailboxFailure(error: unknown): boolean {
  return !isMailApiError(error) || mailboxFailures.has(error.failure)
}

/** True if the failure may be one of the mailbox or of the requested object. */
export function isUnclear(error: unknown): boolean {
  return isMailApiError(error) && unclearFailures.has(error.failure)
}

/**
 * Returns if a failure concerns the requested object (such as a message) alone. If that is unclear,
 * `probe` requests another object. An outage of the provider must fail the work, which is then
 * repeated; otherwise the contents would be lost.
 *
 * @throws the failure of the mailbox
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
