import { type ChangesPage, isMailApiError, MailApiError } from '@posthorn/backends/mail-api'
import { type SyncWarning, syncWarningTypes } from '@posthorn/contracts/schemas/changes'
import { AppError } from '@posthorn/errors'
import { applyBatch } from './apply-batch.ts'
import type { FeedState } from './stored/feed-store.ts'
import { applyRound, collectPage, markRecent } from './full-round.ts'
import type { FeedInPass, FeedPass } from './feed-pass.ts'
import { listedBy } from './parked-feeds.ts'

/** Preferred entries per page of a feed (list of changes): the maximum of Gmail's history. */
const pageLimit = 500

/**
 * Maximum full rounds (lists of all messages) of a feed that begin in one pass, so that a provider
 * cannot keep a worker in a loop.
 */
const maxRestarts = 3

/** Result of reading a feed: its new position. */
export interface ReadFeed {
  state: FeedState
  /** False if only the cursor moved, which is stored with the cursors of other feeds. */
  isStored: boolean
}

/** True if a full round (comparison of all messages) of the feed is required, or in progress. */
export function needsRound({ stage, cursor, completedAt }: FeedState): boolean {
  return stage !== 'follow' || cursor === null || completedAt === null
}

/**
 * Reads the changes of a feed, page by page, until there are no more changes or a full round has to
 * start. Each page with changes is committed with its cursor.
 *
 * @throws MailApiError: the next call continues after the last committed page
 */
export async function readChanges(
  pass: FeedPass,
  { feed, state: start }: FeedInPass,
): Promise<ReadFeed> {
  let step: Step = { state: start }
  while (!step.isComplete && step.state.stage === 'follow' && step.state.cursor !== null) {
    pass.signal.throwIfAborted()
    step = await advance(pass, { feed, state: step.state })
  }
  const isMoved = step.isUnstored === true && step.state.cursor !== start.cursor
  return { state: step.state, isStored: !isMoved }
}

/**
 * Callback after a committed step of a full round that made requests to the provider, except after
 * the last step. False to stop the round after this step: the next call continues.
 */
export type AfterStep = () => Promise<boolean>

/**
 * Completes the full round (comparison of all messages) of a feed, or starts and completes a new
 * round, then reads the changes since. The pages of the round are collected, then compared with the
 * message index. A stale cursor starts the round again. Returns false if `afterStep` stopped the
 * round.
 *
 * @throws MailApiError: the next call continues after the last committed page
 */
export async function completeRound(
  pass: FeedPass,
  { feed, state: start }: FeedInPass,
  afterStep: AfterStep,
): Promise<boolean> {
  const first = start.stage === 'follow' ? { ...start, cursor: null } : start
  let step: Step = { state: first }
  for (let restarts = 0; !step.isComplete; restarts += step.isRestart ? 1 : 0) {
    pass.signal.throwIfAborted()
    if (restarts > maxRestarts)
      throw new AppError('unreachable', 'The provider does not complete a list of messages')
    step = await advance(pass, { feed, state: step.state })
    if (step.isPausable && !(await afterStep())) return false
  }
  if (step.isUnstored) await pass.writer.commit({ feeds: [step.state] })
  return true
}

/** Position of a feed after a page or a part of a full round. */
interface Step {
  state: FeedState
  /** True if the feed has no more changes. */
  isComplete?: boolean
  /** True if a full round of the feed has to begin again. */
  isRestart?: boolean
  /** True if the step made requests, is committed, and more such steps may follow. */
  isPausable?: boolean
  /** True if pages without changes have moved the cursor of the feed since the last commit. */
  isUnstored?: boolean
}

async function advance(pass: FeedPass, at: FeedInPass): Promise<Step> {
  const { feed, state } = at
  if (state.stage === 'recent') {
    if (feed.folderId === undefined && !(await pass.acceptsFirst(at)))
      return { state: await restartRound(pass, at), isRestart: true }
    return { state: await markRecent(pass, at) }
  }
  if (state.stage === 'apply') {
    const { state: next, reads } = await applyRound(pass, at)
    return { state: next, isPausable: reads > 0 }
  }
  const page = await readPage(pass, at)
  if (page instanceof MailApiError) {
    pass.reportLostCursor(feed, page)
    return { state: await restartRound(pass, at, page), isRestart: true }
  }
  if (page.unreadable !== undefined) pass.reportUnreadable(feed, page.unreadable)
  if (page.full) return { state: await collectPage(pass, state, page), isPausable: !page.complete }
  // The provider ended the full round without completing it.
  if (state.stage === 'collect') return { state: await restartRound(pass, at), isRestart: true }
  const next: FeedState = { ...state, cursor: page.cursor }
  const isComplete = page.complete
  if (page.changed.length === 0 && page.removed.length === 0)
    return { state: next, isComplete, isUnstored: true }
  pass.report.add(page)
  await applyBatch(pass, { feed, ...page }, { feeds: [next] })
  return { state: next, isComplete, isPausable: !isComplete }
}

/** Reads the next page of a feed. Returns the error of a cursor that is too old. */
async function readPage(
  { api, signal }: FeedPass,
  { feed, state: { cursor } }: FeedInPass,
): Promise<ChangesPage | MailApiError> {
  const position = { limit: pageLimit, ...(cursor !== null && { cursor }) }
  try {
    return await listedBy(feed, api.changes(feed, position, signal))
  } catch (error) {
    if (cursor !== null && isMailApiError(error, 'stale-cursor')) return error
    throw error
  }
}

/**
 * Lets the full round of a feed begin again. Message ids stay valid, so clients learn of a stale
 * cursor by a warning and the differences.
 */
async function restartRound(
  { writer, names }: FeedPass,
  { feed, state }: FeedInPass,
  error?: MailApiError,
): Promise<FeedState> {
  const wasFollowing = state.stage === 'follow' && error !== undefined
  const next: FeedState = { ...state, stage: 'follow', cursor: null, applied: null }
  const warning = wasFollowing && {
    type: warningType(error.warning),
    message: 'The provider no longer has the changes since the last sync',
    path: names.mailboxOf(feed.folderId).path,
  }
  await writer.commit({ feeds: [next], ...(warning && { warning }) })
  return next
}

function warningType(warning: string | undefined): SyncWarning['type'] {
  return syncWarningTypes.find((type) => type === warning) ?? 'cursorExpired'
}
