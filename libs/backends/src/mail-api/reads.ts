import type { SearchTerms } from '../searches.ts'
import type { ApiDownload, ApiMessage, GetOptions } from './messages.ts'

export interface MailApiProfile {
  /** Primary address of the mailbox. */
  address: string
  /** Number of messages in the mailbox. Absent if the provider does not count them. */
  messages?: number
}

/**
 * Messages of a folder, or of the mailbox without `folderId`, newest first. Trash and junk are part
 * of the mailbox only with placement `folder`. Label terms are label ids (placement `labels`) or
 * names.
 */
export interface MessageQuery {
  folderId?: string
  /**
   * Terms combined with AND. All terms are applied; a term that cannot be applied is
   * `unsupported-term`.
   */
  search?: SearchTerms
  /** Uses the provider's search index instead of exact filters, if the provider has both. */
  indexed?: boolean
}

export interface PageOptions {
  /** Token of the previous page, for the same query. Absent for the first page. */
  pageToken?: string
  /** Entries per page, 1 to 1,000. A page may have fewer, or none, and still have a successor. */
  limit: number
}

/** Page of a list. */
export interface ApiPage<T> {
  entries: T[]
  /** Opaque, at most 8,192 characters, never a URL. Absent on the last page. */
  nextPageToken?: string
  /** Number of all matches. Absent if the provider does not count them. */
  total?: number
}

/** Id of a listed message. */
export interface ListedId {
  id: string
  threadId?: string
}

/** Signature that the provider stores. */
export interface ApiSignature {
  /** Address that messages with this signature are sent from. */
  address: string
  /** Signature as HTML, as the provider stores it. */
  signature: string
}

/** Reading of messages. No call changes a flag. */
export interface MailApiReads {
  profile(signal: AbortSignal): Promise<MailApiProfile>
  /**
   * Ids only: the cheapest list.
   * @throws MailApiError `folder-missing`, `label-missing`, `stale-page`, `unsupported-term`
   */
  listIds(query: MessageQuery, page: PageOptions, signal: AbortSignal): Promise<ApiPage<ListedId>>
  /** Lists messages like `listIds`, with entries. Messages deleted in between are missing. */
  listMessages(
    query: MessageQuery,
    page: PageOptions,
    signal: AbortSignal,
  ): Promise<ApiPage<ApiMessage>>
  /**
   * @throws MailApiError `message-missing`, also while a new message is not yet readable;
   *   `unreadable-id`
   */
  getMessage(id: string, options: GetOptions, signal: AbortSignal): Promise<ApiMessage>
  /** Messages in the order of at most 100 ids. Missing messages are left out. */
  getMessages(
    ids: readonly string[],
    options: GetOptions,
    signal: AbortSignal,
  ): Promise<ApiMessage[]>
  /**
   * Source (RFC 5322), as the provider stores or rebuilds it. The signal also ends the download.
   * @throws MailApiError `message-missing`
   */
  downloadSource(id: string, signal: AbortSignal): Promise<ApiDownload>
  /**
   * Content of one attachment.
   * @throws MailApiError `message-missing`, `part-missing`; `unsupported-operation` if external
   */
  downloadAttachment(
    part: { id: string; partId: string },
    signal: AbortSignal,
  ): Promise<ApiDownload>
  /** Stored signatures of the mailbox. Absent if the provider has no signatures. */
  readonly signatures?: (signal: AbortSignal) => Promise<ApiSignature[]>
}
