import type { ApiFlags } from './messages.ts'
import type { ApiFolder } from './folders.ts'

/**
 * Feed: sequence of message changes with its own cursor (position). Gmail has one feed per mailbox,
 * Graph has one feed per folder.
 */
export interface Feed {
  id: string
  /**
   * Folder whose changes the feed (change list) contains. Absent if the feed covers the whole
   * mailbox. A message removed from a folder's feed was moved or deleted. Providers also report
   * messages as removed that returned, so get a message before announcing its deletion
   * (microsoftgraph/microsoft-graph-docs issue 21752).
   */
  folderId?: string
}

/**
 * Changed message in a feed (change list), or message of a full round (listing of all messages). An
 * absent member was not reported, and is not false or empty: the caller merges the present members
 * into its stored state.
 */
export interface MessageChange extends Partial<ApiFlags> {
  id: string
  threadId?: string
  folderId?: string
  /**
   * All labels of the changed message. If present, `addedLabels` and `removedLabels` are absent.
   */
  labels?: string[]
  addedLabels?: string[]
  removedLabels?: string[]
}

export interface FeedPosition {
  /**
   * Cursor of the previous page of the feed (change list). Without a cursor, a full round over all
   * messages starts.
   */
  cursor?: string
  /**
   * Preferred number of messages on a page of the feed (change list), from 1 to 500. A page may
   * have up to 1,000 messages, or none.
   */
  limit: number
}

/**
 * Page of a feed (change list), with at most one entry per message, in no particular order. Another
 * request with the same cursor may return more, fewer or the same changes.
 */
export interface ChangesPage {
  /**
   * True for a page of a full round (listing of all messages). All pages of a full round together
   * contain each message that has been in the feed since the start of the round, with its labels
   * and true flags. A message, label or flag that is neither on these pages nor in later changes
   * does not exist. Any cursor may lead to a full round.
   */
  full: boolean
  changed: MessageChange[]
  /**
   * Ids of messages that left the feed (change list), also ids that the caller never saw. Empty in
   * a full round (listing of all messages).
   */
  removed: string[]
  /**
   * Position in the feed (change list) after this page. The caller stores the cursor together with
   * the changes of the page. The cursor is opaque and never a URL.
   */
  cursor: string
  /**
   * True if the feed (change list) has no further page now, and the cursor waits for later changes.
   * If false, the caller reads the next page, even after an empty page. Changes during a full round
   * (listing of all messages) follow after its end.
   */
  complete: boolean
  /** Number of messages that the mail provider could not list and that were skipped. */
  unreadable?: number
}

/**
 * Reads changes of messages at a mail provider. Changes of folders are found only by listing the
 * folders.
 */
export interface MailApiFeeds {
  /** Feeds (change lists) of a mailbox with these folders. Sends no request. */
  feeds(folders: readonly Pick<ApiFolder, 'id'>[]): Feed[]
  /**
   * Reads one page of changes of a feed (change list). The caller must not run two calls for one
   * feed at the same time. Only the latest cursors of a feed stay valid.
   * @throws MailApiError `stale-cursor`; `folder-missing` if the folder of the feed was deleted
   */
  changes(feed: Feed, position: FeedPosition, signal: AbortSignal): Promise<ChangesPage>
}
