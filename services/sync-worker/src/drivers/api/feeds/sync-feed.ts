import { type ChangesPage, isMailApiError, MailApiError } from '@posthorn/backends/mail-api'
import { type SyncWarning, syncWarningTypes } from '@posthorn/contracts/schemas/changes'
import { AppError } from '@posthorn/errors'
import { applyBatch } from './apply-batch.ts'
import type { FeedState } from './stored/feed-store.ts'
import { applyRound, collectPage, markRecent } from './full-round.ts'
import type { FeedInPass, FeedPass } from './feed-pass.ts'
import { listedBy } from './parked-feeds.ts'

/** Requested entries per page of a feed (list of changes): the maximum of Gmail's history. */
const pageLimit = 500

/**
 * Maximum number of times that the full round (list of all messages) of a feed begins again in one
 * sync pass. Otherwise a provider could keep a worker in a loop.
 */
const maxRestarts = 3

/** Result of reading a feed (list of changes): the new position in the feed. */
export interface ReadFeed {
  state: FeedState
  /**
   * False if the read found no change, only a new cursor of the feed (list of changes). Such
   * cursors of several feeds are stored together.
   */
  isStored: boolean
}

/** True if a full round (comparison of all messages) of the feed is required or in progress. */
export function needsRound({ stage, cursor, completedAt }: FeedState): boolean {
  return stage !== 'follow' || cursor === null || completedAt === null
}

/**
 * Reads a feed (list of changes) page by page, until there are no more changes or a full round
 * (comparison of all messages) is required. Each page with changes is committed with its cursor.
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
 * Called after each committed step of a full round (list of all messages) that sent requests to the
 * provider, except after the last step. Resolves to false to stop the full round. The next call
 * then continues the round.
 */
export type AfterStep = () => Promise<boolean>

/**
 * Completes the full round (comparison of all messages) of a feed, or runs a new full round. Then
 * reads the changes that followed. The pages of the round are collected and compared with the
 * message index. If the cursor is too old, the round begins again. Returns false if `afterStep`
 * stopped the round.
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

/**
 * Position of a feed (list of changes) after one step: a page of changes, or a part of a full round
 * (list of all messages).
 */
interface Step {
  state: FeedState
  /** True if the feed (list of changes) has no more changes. */
  isComplete?: boolean
  /** True if the full round (list of all messages) of the feed has to begin again. */
  isRestart?: boolean
  /**
   * True if the reading of the feed may stop after this step: the step sent requests and is
   * committed, and more such steps may follow.
   */
  isPausable?: boolean
  /**
   * True if the cursor of the feed (list of changes) moved over pages without changes and is not
   * stored yet.
   */
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
    if (state.stage === 'follow') pass.reportLostCursor(feed, page)
    return { state: await restartRound(pass, at, page), isRestart: true }
  }
  if (page.unreadable !== undefined) pass.reportUnreadable(feed, page.unreadable)
  if (page.full) return { state: await collectPage(pass, state, page), isPausable: !page.complete }
  // The provider stopped listing messages before the full round (list of all messages) was
  // complete, so the round begins again.
  if (state.stage === 'collect') return { state: await restartRound(pass, at), isRestart: true }
  const next: FeedState = { ...state, cursor: page.cursor }
  const isComplete = page.complete
  if (page.changed.length === 0 && page.removed.length === 0)
    return { state: next, isComplete, isUnstored: true }
  pass.report.add(page)
  await applyBatch(pass, { feed, ...page }, { feeds: [next] })
  return { state: next, isComplete, isPausable: !isComplete }
}

/**
 * Reads the next page of a feed (list of changes). Returns the error of an outdated cursor, without
 * throwing.
 */
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
 * Makes the full round (comparison of all messages) of a feed begin again. Message ids stay valid.
 * If the cursor was too old, a warning informs the clients, and the full round finds the missed
 * changes.
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
