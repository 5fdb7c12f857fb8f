import type { MailApiTraits } from '@posthorn/contracts/account-types'
import type { MailApiFeeds } from './feeds.ts'
import type { MailApiFolders } from './folders.ts'
import type { MailApiReads } from './reads.ts'
import type { MailApiSending } from './sending.ts'
import type { MailApiWatches } from './watches.ts'
import type { MailApiWrites } from './writes.ts'

export type { MailApiTraits }

/**
 * Mailbox of one account at a provider with an HTTP API (Gmail, Microsoft Graph). Calls may run
 * concurrently, except `changes` of one feed; the client limits its requests.
 *
 * Ids have 1 to 200 visible ASCII characters and are opaque. An id of another form counts as
 * missing. An id that the provider cannot read is missing or `unreadable-id`.
 *
 * Every failure is a `MailApiError`, except that an aborted signal rejects with its reason. Any
 * call may fail with `rate-limited`, `token-rejected`, `access-denied`, `mailbox-disabled`,
 * `unavailable` and `refused`; the other failures are named at the method.
 *
 * The client retries rate limits and temporary failures of idempotent requests a bounded number of
 * times. The client never repeats a request that may have sent a message or created something.
 */
export interface MailApi
  extends
    MailApiReads,
    MailApiFolders,
    MailApiWrites,
    MailApiFeeds,
    MailApiWatches,
    MailApiSending {
  /** Traits of the provider: differences between mail providers that callers must know. */
  readonly traits: MailApiTraits
}
