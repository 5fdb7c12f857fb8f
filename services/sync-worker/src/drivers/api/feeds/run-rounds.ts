import type { Feed } from '@posthorn/backends/mail-api'
import type { FeedState } from './feed-store.ts'
import { applyRound } from './full-round.ts'
import type { FeedContext } from './read-messages.ts'
import { ignoreMissing } from './read-parts.ts'
import { retryPending } from './retry-pending.ts'
import { type AfterStep, completeRound, needsRound, type SingleFeedContext } from './sync-feed.ts'

/** Feed that needs a full round, or whose folder was deleted. */
export interface DueRound {
  readonly feed: Feed
  readonly state: FeedState
  readonly isDropped: boolean
}

/** Feed and its position. */
export interface FollowedFeed {
  feed: Feed
  state: FeedState
  isNew: boolean
}

export function pairFeeds(feeds: readonly Feed[], stored: readonly FeedState[]): FollowedFeed[] {
  const states = new Map(stored.map((state) => [state.feed, state]))
  return feeds.map((feed) => {
    const state = states.get(feed.id)
    // A deleted folder that is listed again: messages may have returned to it.
    const isNew = !state || isDropStarted(state)
    return { feed, state: isNew ? newFeed(feed) : state, isNew }
  })
}

function newFeed({ id, folderId }: Feed): FeedState {
  return {
    feed: id,
    folder: folderId ?? null,
    stage: 'follow',
    cursor: null,
    applied: null,
    completedAt: null,
  }
}

export function feedOf({ feed: id, folder }: FeedState): Feed {
  return folder === null ? { id } : { id, folderId: folder }
}

/** Rounds of feeds whose folders were deleted, or are not selected any more. */
export function droppedRounds(
  stored: readonly FeedState[],
  feeds: readonly FollowedFeed[],
): DueRound[] {
  const ids = new Set(feeds.map(({ feed }) => feed.id))
  return stored
    .filter(({ feed }) => !ids.has(feed))
    .map((state) => ({ feed: feedOf(state), state, isDropped: true }))
}

export function dueRounds(
  feeds: readonly FollowedFeed[],
  states: ReadonlyMap<string, FeedState>,
): DueRound[] {
  return feeds
    .map(({ feed, state }) => ({ feed, state: states.get(feed.id) ?? state, isDropped: false }))
    .filter(({ state }) => needsRound(state))
}

/**
 * Runs full rounds one after the other. Between two of them, and between two steps of one, stops if
 * another pass is requested, so that new messages need not wait; returns true if some are left.
 */
export async function runRounds(
  context: FeedContext,
  rounds: readonly DueRound[],
  mustYield: () => boolean,
): Promise<boolean> {
  const afterStep: AfterStep = async () => {
    await retryPending(context)
    return !mustYield()
  }
  for (const [at, round] of rounds.entries()) {
    if (at > 0 && !(await afterStep())) return true
    if (!(await runRound(context, round, afterStep))) return true
  }
  await retryPending(context)
  return false
}

/** False if `afterStep` stopped the round. */
async function runRound(
  context: FeedContext,
  { feed, state, isDropped }: DueRound,
  afterStep: AfterStep,
): Promise<boolean> {
  if (isDropped) return dropFeed({ ...context, feed }, state, afterStep)
  return (await ignoreMissing(completeRound({ ...context, feed }, state, afterStep))) ?? true
}

/** True if the messages of a deleted folder are being compared: only then there is no cursor. */
function isDropStarted({ stage, cursor }: FeedState): boolean {
  return stage === 'apply' && cursor === null
}

/**
 * Ends a feed whose folder was deleted: its messages are compared with an empty round, so that each
 * is read and was either moved or deleted. Returns false if `afterStep` stopped it.
 */
async function dropFeed(
  context: SingleFeedContext,
  stored: FeedState,
  afterStep: AfterStep,
): Promise<boolean> {
  const { writer } = context
  const { feed: id } = stored
  let state = stored
  if (!isDropStarted(stored)) {
    state = { ...stored, stage: 'apply', cursor: null, applied: '' }
    const part = { part: id, deleted: 'all' as const, saved: [] }
    await writer.commit({ feeds: [state], parts: [part] })
  }
  while (state.stage === 'apply') {
    const step = await applyRound(context, state)
    state = step.state
    if (state.stage === 'apply' && step.reads > 0 && !(await afterStep())) return false
  }
  await writer.commit({ deletedFeeds: [id] })
  return true
}
