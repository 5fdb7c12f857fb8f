import type { ApiFlags } from './messages.ts'
import type { ApiFolder } from './folders.ts'

/**
 * Feed: sequence of changes of messages with a cursor of its own, for a Gmail mailbox or for one
 * folder of Graph.
 */
export interface Feed {
  id: string
  /**
   * Folder that the feed covers; absent if the feed covers the mailbox. A message removed from the
   * feed of a folder was moved or deleted, and providers report some messages as removed that
   * returned: get a message before announcing its deletion (microsoftgraph/microsoft-graph-docs
   * issue 21752).
   */
  folderId?: string
}

/**
 * Changed message in a feed, or message of a full round. Absent members are not reported, which
 * does not mean false or empty: merge the present members into the stored state.
 */
export interface MessageChange extends Partial<ApiFlags> {
  id: string
  threadId?: string
  folderId?: string
  /** All labels of the changed message. Excludes `addedLabels` and `removedLabels`. */
  labels?: string[]
  addedLabels?: string[]
  removedLabels?: string[]
}

export interface FeedPosition {
  /** Cursor of the previous page of the feed. Absent: a full round over all messages starts. */
  cursor?: string
  /**
   * Preferred number of messages on the page, 1 to 500. A page has at most 1,000 messages, or none.
   */
  limit: number
}

/**
 * Page of a feed (change list) with at most one entry per message, in no order. A repeated request
 * with the same cursor may give more, fewer or the same changes.
 */
export interface ChangesPage {
  /**
   * True for a page of a full round. The pages of a full round together name every message that was
   * in the feed at the start of the round and still is. They name each label and true flag of these
   * messages; a message, label or flag that is neither named nor changed later is absent. Any
   * cursor may lead to a full round.
   */
  full: boolean
  changed: MessageChange[]
  /**
   * Ids of messages that left the feed, also ids that the caller never saw. Empty in a full round.
   */
  removed: string[]
  /**
   * Position in the feed after this page, to be stored with the changes of the page. Opaque, never
   * a URL.
   */
  cursor: string
  /**
   * True if the feed has no further page now: the cursor waits for later changes. False: read the
   * next page, even after an empty page. Changes during a full round follow after its end.
   */
  complete: boolean
  /** Number of messages that the provider could not list, and that the page passes over. */
  unreadable?: number
}

/**
 * Reads changes of messages at a mail provider. Changes of folders are visible in `folders` only.
 */
export interface MailApiFeeds {
  /** Feeds (change lists) of a mailbox with these folders. Makes no request. */
  feeds(folders: readonly Pick<ApiFolder, 'id'>[]): Feed[]
  /**
   * Reads one page of changes of a feed. At most one call per feed may run at a time, and only the
   * latest cursors of a feed stay valid.
   * @throws MailApiError `stale-cursor`; `folder-missing` if the folder of the feed was deleted
   */
  changes(feed: Feed, position: FeedPosition, signal: AbortSignal): Promise<ChangesPage>
}
