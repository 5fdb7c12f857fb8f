import type { Feed } from '@posthorn/backends/mail-api'
import type { FeedState } from './stored/feed-store.ts'
import { applyRound } from './full-round.ts'
import type { FeedInPass, FeedPass } from './feed-pass.ts'
import { attempt } from './read-parts.ts'
import { retryPending } from './retry-pending.ts'
import { type AfterStep, completeRound, needsRound } from './sync-feed.ts'

/** Feed that needs a full round (comparison of all messages), or whose folder was deleted. */
export interface DueRound extends FeedInPass {
  readonly isDropped: boolean
}

/** Feed (list of changes of a folder or mailbox) that is followed, and the position in the feed. */
export interface FollowedFeed extends FeedInPass {
  readonly isNew: boolean
}

export function pairFeeds(feeds: readonly Feed[], stored: readonly FeedState[]): FollowedFeed[] {
  const states = new Map(stored.map((state) => [state.feed, state]))
  return feeds.map((feed) => {
    const state = states.get(feed.id)
    // If a deleted folder is listed again, its feed (list of changes) starts from the beginning,
    // because messages may have returned to the folder.
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
    isInitial: false,
  }
}

export function feedOf({ feed: id, folder }: FeedState): Feed {
  return folder === null ? { id } : { id, folderId: folder }
}

/**
 * Last full rounds (comparisons of all messages) of feeds (lists of changes) whose folders were
 * deleted, or are not selected any more.
 */
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
 * Runs full rounds (comparisons of all messages) one after the other. Stops between two rounds, or
 * two steps of a round, if another sync pass is requested, so that new messages need not wait.
 * Returns true if rounds are left.
 */
export async function runRounds(pass: FeedPass, rounds: readonly DueRound[]): Promise<boolean> {
  const afterStep: AfterStep = async () => {
    await retryPending(pass)
    return !pass.mustYield()
  }
  for (const [at, round] of rounds.entries()) {
    if (at > 0 && !(await afterStep())) return true
    if (!(await runRound(pass, round, afterStep))) return true
  }
  await retryPending(pass)
  return false
}

/**
 * Runs the full round (comparison of all messages) of a single feed (list of changes). Returns
 * false if `afterStep` stopped the round.
 */
async function runRound(pass: FeedPass, round: DueRound, afterStep: AfterStep): Promise<boolean> {
  if (round.isDropped) return dropFeed(pass, round, afterStep)
  return (await attempt(pass, round.feed, () => completeRound(pass, round, afterStep))) ?? true
}

/**
 * True if the messages of a deleted folder are being compared with an empty full round (list of all
 * messages).
 */
function isDropStarted({ stage, cursor }: FeedState): boolean {
  return stage === 'apply' && cursor === null
}

/**
 * Ends a feed (list of changes) whose folder was deleted. Compares the indexed messages of the feed
 * with an empty full round (list of all messages), so that each message is read and found moved or
 * deleted. Returns false if `afterStep` stopped the comparison.
 */
async function dropFeed(
  pass: FeedPass,
  { feed, state: stored }: FeedInPass,
  afterStep: AfterStep,
): Promise<boolean> {
  const { writer } = pass
  const { feed: id } = stored
  let state = stored
  if (!isDropStarted(stored)) {
    state = { ...stored, stage: 'apply', cursor: null, applied: '' }
    const part = { part: id, deleted: 'all' as const, saved: [] }
    await writer.commit({ feeds: [state], parts: [part] })
  }
  while (state.stage === 'apply') {
    const step = await applyRound(pass, { feed, state })
    state = step.state
    if (state.stage === 'apply' && step.reads > 0 && !(await afterStep())) return false
  }
  await writer.commit({ deletedFeeds: [id] })
  return true
}
