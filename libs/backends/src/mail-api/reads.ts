import type { SearchTerms } from '../searches.ts'
import type { ApiDownload, ApiMessage, GetOptions } from './messages.ts'

export interface MailApiProfile {
  /** Primary email address of the mailbox. */
  address: string
  /** Number of messages in the mailbox. Absent if the mail provider does not count messages. */
  messages?: number
}

/**
 * Query for messages of a folder, newest first. Without `folderId`, query for messages of the whole
 * mailbox, which includes trash and junk only with placement `folder`. Search terms for labels are
 * label ids (placement `labels`) or names.
 */
export interface MessageQuery {
  folderId?: string
  /**
   * Search terms, combined with AND. No term is ignored: a term that the mail provider cannot
   * search for fails with `unsupported-term`.
   */
  search?: SearchTerms
  /**
   * True to use the mail provider's search index instead of exact filters, if the provider has
   * both.
   */
  indexed?: boolean
}

export interface PageOptions {
  /**
   * Page token from the previous page of a message list for the same query. Absent for the first
   * page.
   */
  pageToken?: string
  /**
   * Maximum messages per page, 1 to 1,000. A page may have fewer messages or none, even if another
   * page follows.
   */
  limit: number
  /**
   * True to pass over entries of a message list that are damaged in repeated responses, instead of
   * failing. The page then has the number of these entries (`unreadable`).
   */
  skipsDamaged?: boolean
  /**
   * True to continue a message list at the time of its last message instead of its position, if the
   * list is limited to a range of times. If messages are deleted between two pages, no message is
   * then left out, but a message may be listed twice. Ignored by providers whose pages have this
   * property anyway.
   */
  byTime?: boolean
}

/** Page of a list that a mail provider returns, such as a list of messages. */
export interface ApiPage<T> {
  entries: T[]
  /**
   * Token of the next page of the list: opaque, at most 8,192 characters, never a URL. Absent on
   * the last page.
   */
  nextPageToken?: string
  /** Number of all entries of a list that match its query. Absent if the provider counts none. */
  total?: number
  /**
   * Number of damaged entries of a mail provider's list that were passed over. Absent if there was
   * none.
   */
  unreadable?: number
}

/** Id of a listed message, and of its thread if the mail provider lists the thread. */
export interface ListedId {
  id: string
  threadId?: string
}

/** Signature of an email address that the mail provider stores. */
export interface ApiSignature {
  /** Email address that the signature belongs to. */
  address: string
  /** Signature of an email address as HTML, as the mail provider stores it. */
  signature: string
}

/**
 * Reads messages of a mail provider. No method changes a flag, such as marking a message as seen.
 */
export interface MailApiReads {
  profile(signal: AbortSignal): Promise<MailApiProfile>
  /**
   * Lists message ids only, which is the cheapest list.
   * @throws MailApiError `folder-missing`, `label-missing`, `stale-page`, `unsupported-term`
   */
  listIds(query: MessageQuery, page: PageOptions, signal: AbortSignal): Promise<ApiPage<ListedId>>
  /**
   * Lists messages like `listIds`, with their state. Messages that are deleted during the call are
   * left out.
   */
  listMessages(
    query: MessageQuery,
    page: PageOptions,
    signal: AbortSignal,
  ): Promise<ApiPage<ApiMessage>>
  /**
   * Reads one message.
   * @throws MailApiError `message-missing`, also for a new message that is not readable yet;
   * `unreadable-id`
   */
  getMessage(id: string, options: GetOptions, signal: AbortSignal): Promise<ApiMessage>
  /**
   * Reads at most 100 messages by their ids, in the order of the ids. Missing messages are left
   * out.
   */
  getMessages(
    ids: readonly string[],
    options: GetOptions,
    signal: AbortSignal,
  ): Promise<ApiMessage[]>
  /**
   * Downloads the source of a message (RFC 5322), as the provider stores or rebuilds the source.
   * The signal also ends the download.
   * @throws MailApiError `message-missing`
   */
  downloadSource(id: string, signal: AbortSignal): Promise<ApiDownload>
  /**
   * Downloads the content of one attachment of a message.
   * @throws MailApiError `message-missing`, `part-missing`; `unsupported-operation` for an external
   * attachment
   */
  downloadAttachment(
    part: { id: string; partId: string },
    signal: AbortSignal,
  ): Promise<ApiDownload>
  /**
   * Reads the stored signatures of the mailbox. The method is absent if the mail provider has no
   * signatures.
   */
  readonly signatures?: (signal: AbortSignal) => Promise<ApiSignature[]>
}
