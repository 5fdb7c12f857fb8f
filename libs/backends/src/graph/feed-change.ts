import { defined } from '@posthorn/contracts/defined'
import type { Feed, FeedPosition, MessageChange } from '../mail-api/feeds.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import { isId, labelsOf } from './message-fields.ts'

/**
 * Properties of Graph messages that are stored to detect later changes. A delta (change list of a
 * folder) knows no extended properties and no header fields.
 */
export const feedFields = 'id,conversationId,parentFolderId,isRead,isDraft,flag,categories'

/**
 * Request for a page of the change list (feed) of a Graph folder, and the current time `now` in ms
 * since 1970.
 */
export interface FeedRequest {
  feed: Feed
  position: FeedPosition
  now: number
  /**
   * False if a failed Graph request for a page of changes must not be repeated. Default: the
   * request is repeated after temporary failures.
   */
  repeatable?: boolean
}

/**
 * Converts an entry of the change list (feed) of a Graph folder. The entry of a changed message may
 * have only its changed properties. The message is taken to be in the folder of the feed, because
 * the reported parent folder may be unknown.
 */
export function toChange(message: GraphMessage, feed: Feed): MessageChange {
  const { id = '', conversationId, isRead, isDraft, flag, categories } = message
  return defined({
    id,
    threadId: isId(conversationId) ? conversationId : undefined,
    folderId: feed.id,
    unseen: typeof isRead === 'boolean' ? !isRead : undefined,
    draft: typeof isDraft === 'boolean' ? isDraft : undefined,
    flagged: flag ? flag.flagStatus === 'flagged' : undefined,
    labels: Array.isArray(categories) ? labelsOf(categories) : undefined,
  })
}
