import type { FeedState } from './stored/feed-store.ts'

/**
 * Maximum consecutive polls whose cursors are not stored. A provider accepts only the last few
 * cursors of a feed: Microsoft Graph lists three or four in its errors
 * (microsoftgraph/microsoft-graph-docs issue 2877). If the stored cursor is older after a crash, a
 * full round (list of all messages) is needed. A crash during the next poll leaves two cursors that
 * are newer than the stored cursor.
 */
const maxHeld = 1

/**
 * Cursor of a feed (list of changes) in memory that is newer than the stored cursor of the feed.
 */
interface HeldCursor {
  readonly stored: string | null
  readonly cursor: string | null
  /** Number of polls since a cursor of the feed (list of changes) was stored. */
  readonly polls: number
}

/**
 * Cursors in memory, from polls that found no change. Only every second cursor is stored, because
 * most polls of thousands of accounts find no change, and the next changes can also be read from an
 * older cursor.
 */
export class HeldCursors {
  readonly #held = new Map<string, HeldCursor>()
  #stored = new Map<string, string | null>()

  /**
   * Replaces stored cursors of feeds (positions in lists of changes) by newer cursors in memory
   * that continue the stored cursors.
   */
  renew(states: readonly FeedState[]): FeedState[] {
    this.#stored = new Map(states.map(({ feed, cursor }) => [feed, cursor]))
    return states.map((state) => {
      const held = this.#heldOf(state.feed)
      return held ? { ...state, cursor: held.cursor } : state
    })
  }

  /**
   * Adds the new cursors of feeds (lists of changes) that reported no change. Returns the feed
   * positions to store now.
   */
  hold(moved: readonly FeedState[]): readonly FeedState[] {
    const isDue = moved.some(({ feed }) => (this.#heldOf(feed)?.polls ?? 0) >= maxHeld)
    for (const { feed, cursor } of moved) {
      const polls = (this.#heldOf(feed)?.polls ?? 0) + 1
      if (isDue) this.#held.delete(feed)
      else this.#held.set(feed, { stored: this.#stored.get(feed) ?? null, cursor, polls })
    }
    return isDue ? moved : []
  }

  #heldOf(feed: string): HeldCursor | undefined {
    const held = this.#held.get(feed)
    return held?.stored === this.#stored.get(feed) ? held : undefined
  }
}
