import { createHash } from 'node:crypto'
import { type Feed, isMailApiError } from '@posthorn/backends/mail-api'
import type { IndexRepair } from '@posthorn/db'
import { isSameState } from '../index/indexed-message.ts'
import { changeOfFindings } from './apply-batch.ts'
import type { FeedPass } from './feed-pass.ts'
import { addToRound } from './full-round.ts'
import { type ReadFinding, readMessages } from './read-messages.ts'
import { compareRound, isShort, maxRequests, scanRound } from './round-losses.ts'
import { feedOf } from './run-rounds.ts'
import type { IndexChange } from './stored/index-writer.ts'
import { indexPart } from './stored/stored-index.ts'
import { needsRound } from './sync-feed.ts'

// If a mailbox has a single feed, changes that the feed does not report would be missing in the
// message index forever. Therefore the index is compared with a list of the whole mailbox once a
// month, in pieces between sync passes. Meanwhile the feed is read as usual, so the list is
// outdated by hours when it is compared. The list only selects messages to request; the provider's
// responses are stored.

const dayMs = 86_400_000
/**
 * Interval of the comparisons of an account's message index. The account's hash determines the
 * start within the interval.
 */
const periodMs = 30 * dayMs
/**
 * Period at the start of the monthly interval in which the first comparison of a message index may
 * begin.
 */
const firstMs = dayMs
/**
 * Delay until the next comparison of the message index if the list of the mailbox lacked messages,
 * or if the position in the list expired.
 */
const retryMs = dayMs
/**
 * Maximum duration of a comparison of the message index. After this time, the comparison begins
 * again.
 */
const maxAgeMs = 25 * dayMs
/**
 * Age from which a message that is missing in the index counts as old, at the start of the monthly
 * comparison. Old messages are added to the index without an event.
 */
const recentMs = 7 * dayMs
/**
 * Maximum pieces of the monthly index comparison per sync pass: 5,000 listed messages, about a
 * second per piece.
 */
const maxPieces = 10
/** Number of messages per page of the mailbox list that the monthly index comparison reads. */
const pageLimit = 500
/**
 * Maximum messages that one piece of the monthly index comparison requests. Takes 1,000 quota units
 * of Gmail.
 */
const maxPieceRequests = 50
/** Name of the part of stored messages in which the list of the mailbox is collected. */
const repairPart = 'repair'

/**
 * Begins or continues the monthly comparison of the message index with a list of the mailbox, if
 * the comparison is due and the feed (list of changes) needs no full round (list of all messages).
 * Only for mailboxes with a single feed. Stops after a few pieces, or if another sync pass is
 * requested. Each piece is committed with its position. After a failure of the provider, which is
 * reported, the next pass continues.
 */
export async function repairIndex(pass: FeedPass): Promise<void> {
  const { openIdle, onRepair = () => undefined } = pass.repairs
  if (!openIdle || !isRepairDue(pass)) return
  const states = await pass.store.listFeeds()
  const state = states.find(({ folder }) => folder === null)
  if (!state || needsRound(state)) return
  try {
    const outcome = await runPieces(pass.withApi(await openIdle()), feedOf(state))
    if (outcome !== 'continue') onRepair(outcome, pass.writer.mailbox.repair?.repaired ?? 0)
  } catch (error) {
    const outcome = await outcomeOfError(pass, error)
    if (outcome !== 'continue') onRepair(outcome, 0)
  }
}

/**
 * Outcome of a failed piece of the monthly index comparison. An expired position in the mailbox
 * list ends the comparison.
 */
async function outcomeOfError(pass: FeedPass, error: unknown): Promise<PieceOutcome | 'failed'> {
  if (isRateLimit(error)) return 'continue'
  if (isMailApiError(error, 'stale-cursor')) return end(pass, 'incomplete', {})
  if (!isMailApiError(error)) throw error
  return 'failed'
}

/** True if a comparison of the message index is in progress or has to begin. */
function isRepairDue({ account, now, writer }: FeedPass): boolean {
  const { filledAt, repair } = writer.mailbox
  if (filledAt === null) return false
  if (repair?.startedAt !== undefined) return true
  const time = now().getTime()
  if (repair?.nextAt !== undefined) return time >= repair.nextAt
  const startAt = nextStart(account.account, time) - periodMs
  return startAt > filledAt.getTime() && time - startAt < firstMs
}

async function runPieces(pass: FeedPass, feed: Feed): Promise<PieceOutcome> {
  for (let piece = 0; piece < maxPieces && !pass.mustYield(); piece++) {
    pass.signal.throwIfAborted()
    const outcome = await runPiece(pass, feed)
    if (outcome !== 'continue') return outcome
  }
  return 'continue'
}

function isRateLimit(error: unknown): boolean {
  return error instanceof Error && 'kind' in error && error.kind === 'rate-limited'
}

type PieceOutcome = 'continue' | 'completed' | 'incomplete'

async function runPiece(pass: FeedPass, feed: Feed): Promise<PieceOutcome> {
  const { filledAt, repair } = pass.writer.mailbox
  const now = pass.now().getTime()
  const isRecent = repair?.startedAt !== undefined && now - repair.startedAt < maxAgeMs
  const isCurrent = isRecent && repair.filledAt === filledAt?.getTime()
  const current: IndexRepair = isCurrent ? repair : { startedAt: now, filledAt: Number(filledAt) }
  const { applied } = current
  if (applied === undefined) return collect(pass, feed, current)
  if (applied === '' && (await isIncomplete(pass))) return end(pass, 'incomplete', {})
  return compare(pass, { ...current, applied })
}

/**
 * Reads the next page of the mailbox list and adds its messages to the collected list of the index
 * comparison.
 */
async function collect(pass: FeedPass, feed: Feed, current: IndexRepair): Promise<PieceOutcome> {
  const { api, index, signal, writer } = pass
  const { cursor, ...rest } = current
  const position = { limit: pageLimit, ...(cursor !== undefined && { cursor }) }
  const page = await api.changes(feed, position, signal)
  if (!page.full) return end(pass, 'incomplete', {})
  const ids = cursor === undefined ? [] : page.changed.map(({ id }) => id)
  const loaded = await index.load(repairPart, ids)
  const collected = new Map(loaded.states)
  for (const change of page.changed)
    collected.set(change.id, addToRound(collected.get(change.id), change))
  const part =
    cursor === undefined ? index.fill(repairPart, collected) : loaded.change(collected).part
  const repair = page.complete ? { ...rest, applied: '' } : { ...rest, cursor: page.cursor }
  await writer.commit({ repair, parts: [part] })
  return 'continue'
}

/**
 * True if the collected list of the mailbox is incomplete: more than 500 indexed messages differ by
 * missing messages, labels or flags, and the list is shorter than the mailbox's profile says. The
 * messages are not requested then.
 */
async function isIncomplete(pass: FeedPass): Promise<boolean> {
  const at = { feed: {}, state: { feed: repairPart, applied: '' } }
  const { losses, listed } = await compareRound(pass, at)
  if (losses.size <= maxRequests) return false
  const { messages: total } = await pass.api.profile(pass.signal)
  if (!isShort(listed, total)) return false
  pass.reportIncompleteList({ losses: losses.size, listed, total })
  return true
}

/**
 * Ends the monthly comparison of the message index: deletes the collected list of the mailbox, and
 * stores the time of the next comparison.
 */
async function end(
  { account, now, writer }: FeedPass,
  outcome: 'completed' | 'incomplete',
  { repaired = 0, ...change }: IndexChange & Pick<IndexRepair, 'repaired'>,
): Promise<'completed' | 'incomplete'> {
  const time = now().getTime()
  const nextAt = outcome === 'completed' ? nextStart(account.account, time) : time + retryMs
  const { parts = [] } = change
  const list = { part: repairPart, deleted: 'all' as const, saved: [] }
  await writer.commit({ ...change, repair: { nextAt, repaired }, parts: [...parts, list] })
  return outcome
}

/**
 * Requests the next messages whose state in the collected list of the mailbox differs from the
 * message index. Stores the states that the provider returns. Deletes messages from the index that
 * the provider does not return.
 */
async function compare(
  pass: FeedPass,
  current: IndexRepair & { applied: string },
): Promise<PieceOutcome> {
  const { index, writer } = pass
  const { startedAt = 0, applied, repaired = 0 } = current
  const differing = await findDifferences(pass, applied)
  const ids = differing.ids.slice(0, maxPieceRequests)
  const next = differing.ids[maxPieceRequests] ?? differing.end
  let loaded = await index.load(indexPart, ids)
  let count = 0
  const changeOf = (findings: readonly ReadFinding[]) => {
    const settled = findings.filter(isRepair)
    count += settled.length
    return changeOfFindings(pass, { findings: settled, loaded, named: new Map(), folder: null })
  }
  const findings = await readMessages(pass, ids, {
    states: () => loaded.states,
    isNamed: () => false,
    silentBefore: new Date(startedAt - recentMs),
    store: async (stored) => {
      await writer.commit(changeOf(stored))
      loaded = await index.load(indexPart, ids)
    },
  })
  const change = changeOf(findings)
  const repair = { ...current, repaired: repaired + count }
  if (next === undefined) return end(pass, 'completed', { ...change, repaired: repair.repaired })
  await writer.commit({ ...change, repair: { ...repair, applied: next } })
  return 'continue'
}

/**
 * True if a message differs between provider and index. False if neither has the message, or if the
 * provider refuses to return it.
 */
function isRepair({ kind }: ReadFinding): boolean {
  return kind === 'new' || kind === 'updated' || kind === 'deleted'
}

/**
 * Ids of messages whose states in the next part of the collected mailbox list differ from the
 * message index.
 */
async function findDifferences(pass: FeedPass, applied: string) {
  const at = { feed: {}, state: { feed: repairPart, applied } }
  const { listed, present, end: last } = await scanRound(pass, at, applied)
  const indexed = new Map(present.map((message) => [message.id, message]))
  const isDifferent = (id: string) => {
    const [one, other] = [listed.get(id), indexed.get(id)]
    return !one || !other || !isSameState(one, other)
  }
  const ids = [...new Set([...listed.keys(), ...indexed.keys()])].filter(isDifferent).sort()
  return { ids, end: last }
}

/**
 * Start time of the next monthly comparison of an account's message index. Spreads the accounts
 * over the month.
 */
function nextStart(account: string, time: number): number {
  const hash = createHash('sha256').update(account).digest().readUInt32BE(0)
  const phase = (hash / 2 ** 32) * periodMs
  return phase + (Math.floor((time - phase) / periodMs) + 1) * periodMs
}
