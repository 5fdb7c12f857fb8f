import { defined } from '@posthorn/contracts/defined'
import type { ChangesPage, Feed, MessageChange, MessageQuery } from '@posthorn/backends/mail-api'
import {
  absoluteChange,
  emptyMessage,
  type IndexedMessage,
  isSameState,
  mergeChange,
} from '../index/indexed-message.ts'
import { applyBatch } from './apply-batch.ts'
import type { FeedState } from './stored/feed-store.ts'
import type { FeedBatch } from './plan-batch.ts'
import type { FeedInPass, FeedPass } from './feed-pass.ts'
import { listedBy } from './parked-feeds.ts'
import { isLoss, type LossPlan, type RoundWindow, scanRound } from './round-losses.ts'

// A full round lists all messages of a feed (folder or mailbox) in pages, which may name a message
// repeatedly. The messages are collected page by page in leaves (blocks of stored messages) of a
// separate part. Then the collected messages are compared with the message index. After a crash,
// the round continues with the last committed page or leaf.

/** Number of messages per page in the list of recent messages. */
const pageLimit = 500
const dayMs = 86_400_000

/**
 * Adds a page of messages to the collected full round (list of all messages) of a feed. The first
 * page replaces all messages that an earlier round collected.
 */
export async function collectPage(
  pass: FeedPass,
  state: FeedState,
  page: ChangesPage,
): Promise<FeedState> {
  const { index, writer } = pass
  const isFirst = state.stage !== 'collect'
  if (state.folder === null) {
    if (isFirst) pass.losses.begin()
    if (page.unreadable !== undefined) pass.losses.markDamaged()
  }
  const ids = page.changed.map(({ id }) => id)
  const loaded = await index.load(state.feed, isFirst ? [] : ids)
  const collected = new Map(loaded.states)
  for (const change of page.changed)
    collected.set(change.id, addToRound(collected.get(change.id), change))
  const part = isFirst ? index.fill(state.feed, collected) : loaded.change(collected).part
  const next: FeedState = {
    ...state,
    cursor: page.cursor,
    stage: page.complete ? (pass.isInitial(state) ? 'recent' : 'apply') : 'collect',
    applied: page.complete ? '' : null,
  }
  await writer.commit({ feeds: [next], parts: [part] })
  return next
}

/**
 * Adds a page's entry for a message to the message in the collected full round (list of all
 * messages). The pages together name all labels and all flags that the message has.
 */
export function addToRound(
  state: IndexedMessage | undefined,
  change: MessageChange,
): IndexedMessage {
  const { labels = [], addedLabels = [], removedLabels: _, ...rest } = change
  const added = [...labels, ...addedLabels]
  return mergeChange(state ?? emptyMessage(change.id), { ...rest, addedLabels: added })
}

/**
 * Marks recent messages in a feed's first full round (list of all messages). Only these messages
 * may be announced. Their exact time of arrival is checked when the messages are read.
 */
export async function markRecent(pass: FeedPass, { feed, state }: FeedInPass): Promise<FeedState> {
  const { api, index, writer, account, signal } = pass
  const since = writer.mailbox.announceFrom ?? account.notifyFrom
  // The search for recent messages starts one day earlier, because providers compare days in their
  // own time zone.
  const search = { since: new Date(Math.max(since.getTime() - dayMs, 0)) }
  for (const query of recentQueries(pass, feed)) {
    let pageToken: string | undefined
    do {
      const position = { limit: pageLimit, skipsDamaged: true, ...defined({ pageToken }) }
      const list = api.listIds({ ...query, search }, position, signal)
      const page = await listedBy(feed, list)
      const ids = page.entries.map(({ id }) => id)
      const loaded = await index.load(state.feed, ids)
      const marked = [...loaded.states.values()].filter(({ recent }) => !recent)
      const changes = new Map(marked.map((each) => [each.id, { ...each, recent: true as const }]))
      if (changes.size > 0) await writer.commit({ parts: [loaded.change(changes).part] })
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
  }
  const next: FeedState = { ...state, stage: 'apply', applied: '' }
  await writer.commit({ feeds: [next] })
  return next
}

/**
 * Queries that list the recent messages of a feed. If labels replace folders (placement `labels`),
 * a list of the whole mailbox leaves out junk and trash, so these folders are listed separately.
 */
function recentQueries({ api, names }: FeedPass, feed: Feed): MessageQuery[] {
  if (feed.folderId !== undefined) return [{ folderId: feed.folderId }]
  if (api.traits.placement === 'folder') return [{}]
  const hidden = ['\\Junk', '\\Trash'].flatMap((use) => names.findByUse(use) ?? [])
  return [{}, ...hidden.map(({ id }) => ({ folderId: id }))]
}

/**
 * Compares the next part of a collected full round (list of all messages) with the message index
 * and stores the differences. Returns the new position of the feed, and the number of messages that
 * had to be read.
 */
export async function applyRound(
  pass: FeedPass,
  { feed, state }: FeedInPass,
): Promise<{ state: FeedState; reads: number }> {
  const window = await scanRound(pass, { feed, state }, state.applied ?? '')
  const isInitial = pass.isInitial(state)
  const plan = await planLosses(pass, { feed, state }, isInitial)
  const differences = compareWindow(window, plan)
  const { end, listed } = window
  const batch = {
    feed,
    ...differences,
    isInitial,
    ...(isInitial && { isSilent: (id: string) => listed.get(id)?.recent !== true }),
  }
  const next: FeedState =
    end === undefined
      ? {
          ...state,
          completedAt: endOf(pass, plan),
          stage: 'follow',
          applied: null,
          isInitial: false,
        }
      : { ...state, applied: end }
  const parts = end === undefined ? [{ part: state.feed, deleted: 'all' as const, saved: [] }] : []
  const reads = await applyBatch(pass, batch, { feeds: [next], parts })
  if (plan && end === undefined) pass.losses.end()
  return { state: next, reads }
}

/**
 * Plans how to treat indexed messages that a full round (list of all messages) lacks. A feed of a
 * folder needs no plan, because messages that left a folder are always requested from the provider.
 */
async function planLosses(
  pass: FeedPass,
  at: FeedInPass,
  isInitial: boolean,
): Promise<LossPlan | undefined> {
  return at.feed.folderId === undefined && !isInitial ? await pass.planLosses(at) : undefined
}

/**
 * Compares a part of a full round (list of all messages) with the message index. Leaves out
 * differences that the plan for missing messages does not permit to store.
 */
function compareWindow(
  { listed, present }: RoundWindow,
  plan: LossPlan | undefined,
): Pick<FeedBatch, 'changed' | 'removed'> & { requested: ReadonlySet<string> } {
  const changed = new Map(listed)
  const removed: string[] = []
  const requested = new Set<string>()
  for (const before of present) {
    const state = listed.get(before.id)
    const isLost = isLoss(before, state)
    if (isLost && plan?.kind === 'request') requested.add(before.id)
    const isKept = isLost && plan !== undefined && !mayStore(plan, before.id)
    if (isKept || (state && isSameState(state, before))) changed.delete(before.id)
    else if (!state) removed.push(before.id)
  }
  return { changed: [...changed.values()].map(absoluteChange), removed, requested }
}

function mayStore(plan: LossPlan, id: string): boolean {
  return plan.kind === 'request' || (plan.kind === 'confirmed' && plan.ids.has(id))
}

/**
 * Time at which a full round (comparison of all messages) ended. Null if another full round has to
 * follow.
 */
function endOf({ losses, now }: FeedPass, plan: LossPlan | undefined): Date | null {
  return plan === undefined || losses.isComplete ? now() : null
}
