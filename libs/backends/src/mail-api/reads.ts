import type { SearchTerms } from '../searches.ts'
import type { ApiDownload, ApiMessage, GetOptions } from './messages.ts'

export interface MailApiProfile {
  /** Primary email address of the mailbox. */
  address: string
  /** Number of messages in the mailbox. Absent if the provider does not count them. */
  messages?: number
}

/**
 * Query for messages of a folder, or of the mailbox without `folderId`, newest first. Trash and
 * junk are part of the mailbox only with placement `folder`. Label terms are label ids (placement
 * `labels`) or names.
 */
export interface MessageQuery {
  folderId?: string
  /**
   * Search terms combined with AND. All terms are applied; a term that cannot be applied is
   * `unsupported-term`.
   */
  search?: SearchTerms
  /** True to use the provider's search index instead of exact filters, if the provider has both. */
  indexed?: boolean
}

export interface PageOptions {
  /**
   * Token of the previous page of a message list, for the same query. Absent for the first page.
   */
  pageToken?: string
  /**
   * Messages per page, 1 to 1,000. A page may have fewer messages, or none, and still have a
   * successor.
   */
  limit: number
}

/** Page of a list of a mail provider, such as messages. */
export interface ApiPage<T> {
  entries: T[]
  /**
   * Token of the next page of the list: opaque, at most 8,192 characters, never a URL. Absent on
   * the last page.
   */
  nextPageToken?: string
  /** Number of all entries that match. Absent if the provider does not count them. */
  total?: number
}

/** Id of a listed message, and of its thread if the provider lists it. */
export interface ListedId {
  id: string
  threadId?: string
}

/** Signature of an email address that the mail provider stores. */
export interface ApiSignature {
  /** Address that messages with this signature are sent from. */
  address: string
  /** Signature as HTML, as the provider stores it. */
  signature: string
}

/** Reads messages of a mail provider. No call changes a flag. */
export interface MailApiReads {
  profile(signal: AbortSignal): Promise<MailApiProfile>
  /**
   * Lists message ids only: the cheapest list.
   * @throws MailApiError `folder-missing`, `label-missing`, `stale-page`, `unsupported-term`
   */
  listIds(query: MessageQuery, page: PageOptions, signal: AbortSignal): Promise<ApiPage<ListedId>>
  /** Lists messages like `listIds`, with their state. Messages deleted in between are missing. */
  listMessages(
    query: MessageQuery,
    page: PageOptions,
    signal: AbortSignal,
  ): Promise<ApiPage<ApiMessage>>
  /**
   * Reads one message.
   * @throws MailApiError `message-missing`, also while a new message is not yet readable;
   *   `unreadable-id`
   */
  getMessage(id: string, options: GetOptions, signal: AbortSignal): Promise<ApiMessage>
  /** Reads messages in the order of at most 100 message ids. Missing messages are left out. */
  getMessages(
    ids: readonly string[],
    options: GetOptions,
    signal: AbortSignal,
  ): Promise<ApiMessage[]>
  /**
   * Downloads the source of a message (RFC 5322), as the provider stores or rebuilds it. The signal
   * also ends the download.
   * @throws MailApiError `message-missing`
   */
  downloadSource(id: string, signal: AbortSignal): Promise<ApiDownload>
  /**
   * Downloads the content of one attachment of a message.
   * @throws MailApiError `message-missing`, `part-missing`; `unsupported-operation` if external
   */
  downloadAttachment(
    part: { id: string; partId: string },
    signal: AbortSignal,
  ): Promise<ApiDownload>
  /** Reads the stored signatures of the mailbox. Absent if the provider has no signatures. */
  readonly signatures?: (signal: AbortSignal) => Promise<ApiSignature[]>
}
