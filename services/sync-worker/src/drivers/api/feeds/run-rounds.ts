import type { Feed } from '@posthorn/backends/mail-api'
import type { FeedState } from './feed-store.ts'
import { applyRound } from './full-round.ts'
import type { FeedContext } from './read-messages.ts'
import { ignoreMissing } from './read-parts.ts'
import { retryPending } from './retry-pending.ts'
import { completeRound, type SingleFeedContext } from './sync-feed.ts'

/** Feed that needs a full round, or whose folder was deleted. */
export interface DueRound {
  readonly feed: Feed
  readonly state: FeedState
  readonly isDropped: boolean
}

/**
 * Runs full rounds one after the other. Between two of them, stops if another pass is requested, so
 * that new messages need not wait for all; returns true if some are left. While the index is
 * filled, all are run.
 */
export async function runRounds(
  context: FeedContext,
  rounds: readonly DueRound[],
  mustYield: () => boolean,
): Promise<boolean> {
  for (const [at, round] of rounds.entries()) {
    if (at > 0 && context.writer.mailbox.filledAt !== null && mustYield()) return true
    if (round.isDropped) await dropFeed({ ...context, feed: round.feed }, round.state)
    else await ignoreMissing(completeRound({ ...context, feed: round.feed }, round.state))
    await retryPending(context)
  }
  return false
}

/**
 * Ends a feed whose folder was deleted: its messages are compared with an empty round, so that each
 * is read and was either moved or deleted.
 */
async function dropFeed(context: SingleFeedContext, stored: FeedState): Promise<void> {
  const { writer } = context
  const { feed: id } = stored
  let state: FeedState = { ...stored, stage: 'apply', cursor: null, applied: '' }
  const part = { part: id, deleted: 'all' as const, saved: [] }
  await writer.commit({ feeds: [state], parts: [part] })
  while (state.stage === 'apply') state = await applyRound(context, state)
  await writer.commit({ deletedFeeds: [id] })
}
