import type { FeedState } from './stored/feed-store.ts'

/**
 * Maximum polls in a row whose cursors are not stored. A provider drops all but the last few
 * cursors of a feed: Microsoft Graph lists three or four in its errors
 * (microsoftgraph/microsoft-graph-docs issue 2877). After a crash, the stored cursor must be one of
 * these; otherwise a full round follows.
 */
const maxHeld = 2

/** Cursor of a feed that is newer than the stored cursor. */
interface HeldCursor {
  readonly stored: string | null
  readonly cursor: string | null
  /** Number of polls since the cursor was stored. */
  readonly polls: number
}

/**
 * Cursors of polls that found no change. Only every third cursor is stored: a reader of an older
 * cursor finds the same changes, and most polls of thousands of accounts find none.
 */
export class HeldCursors {
  readonly #held = new Map<string, HeldCursor>()
  #stored = new Map<string, string | null>()

  /** Replaces stored cursors by newer cursors, unless another cursor was stored meanwhile. */
  renew(states: readonly FeedState[]): FeedState[] {
    this.#stored = new Map(states.map(({ feed, cursor }) => [feed, cursor]))
    return states.map((state) => {
      const held = this.#heldOf(state.feed)
      return held ? { ...state, cursor: held.cursor } : state
    })
  }

  /** Takes the states of feeds whose cursors moved without a change. Returns those to store now. */
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
