import {
  type ChangesPage,
  type Feed,
  type FeedPosition,
  MailApiError,
  type MessageChange,
} from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import {
  type FeedHistory,
  flagsOf,
  type HistoryRecord,
  mailboxFeed,
  type ModelMessage,
  type ModelStore,
  stateOf,
} from './store.ts'

/** Faults of a model mailbox's change lists. Most faults have a probability per page. */
export interface FeedFaults {
  /** Maximum entries per page of a feed (change list). */
  maxPage: number
  /** Probability that a page of a change list repeats changes from before its cursor. */
  replays: number
  /** Probability that the last page of a change list lacks the latest changes. */
  outdated: number
  /** Probability of an empty page in a change list that is followed by further pages. */
  emptyPages: number
  /**
   * True if a message that left a folder and returned between two reads of the change list is
   * reported as removed (mailboxes with folders only).
   */
  losesReturns: boolean
  /** Number of the latest cursors per feed (change list) that stay valid. */
  liveCursors: number
  /** Probability that a full listing lacks messages (mailboxes with labels only). */
  shortRounds: number
}

/** Position in a full listing of the model mailbox: label or flag, and the last entry's order. */
interface FullPosition {
  start: number
  stage: string
  below: number | null
  /** Share of the model mailbox's messages in the full listing, from 0 to 1. */
  named: number
}

interface Cursor {
  generation: number
  /** Position in the model's history of changes. Absent in a full listing of the mailbox. */
  seq?: number
  full?: FullPosition
}

type Stage = { name: string; contains: (message: ModelMessage) => boolean; entry: EntryOf }
type EntryOf = (message: ModelMessage) => MessageChange

const flagStages = ['unseen', 'flagged', 'draft'] as const

/** Reads one page of a feed (change list) of the model mailbox. */
export function readFeed(
  store: ModelStore,
  faults: FeedFaults,
  { feed, position }: { feed: Feed; position: FeedPosition },
): ChangesPage {
  const history = store.history(feed.id)
  const cursor =
    position.cursor === undefined ? undefined : readCursor(position.cursor, history, faults)
  const limit = Math.min(position.limit, faults.maxPage)
  const generation = ++history.generation
  if (cursor && store.random.happens(faults.emptyPages))
    return page({ full: cursor.full !== undefined, cursor: { ...cursor, generation } })
  if (cursor?.seq === undefined) {
    const full = cursor?.full ?? firstPosition(store, faults)
    return readFullRound(store, full, { feed, limit, generation })
  }
  return readHistory(store, faults, { feed, since: cursor.seq, limit, generation })
}

function page({
  cursor,
  ...rest
}: Partial<Omit<ChangesPage, 'cursor'>> & { cursor: Cursor }): ChangesPage {
  const text = Buffer.from(JSON.stringify(cursor)).toString('base64url')
  return { full: false, changed: [], removed: [], complete: false, ...rest, cursor: text }
}

function readCursor(text: string, { generation, oldest }: FeedHistory, faults: FeedFaults): Cursor {
  const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor
  const position = cursor.seq ?? cursor.full?.start ?? 0
  if (position < oldest || cursor.generation <= generation - faults.liveCursors)
    throw new MailApiError('stale-cursor', 'The changes since the cursor are not available.', {
      status: 404,
      warning: 'historyIdExpired',
    })
  return cursor
}

/** Stages of a full listing of the model mailbox: all messages, then each flag and each label. */
function stagesOf(store: ModelStore, feed: Feed): Stage[] {
  if (feed.folderId !== undefined) {
    const { folderId } = feed
    return [{ name: '', contains: (message) => store.isIn(message, folderId), entry: stateOf }]
  }
  const labels = [...store.folders.keys()].sort()
  return [
    {
      name: '',
      contains: () => true,
      entry: ({ id, threadId }: ModelMessage) => ({ id, threadId }),
    },
    ...flagStages.map((flag) => ({
      // The tab in the name of a listing stage sorts flags before labels, which have visible
      // characters only.
      name: `\t${flag}`,
      contains: (message: ModelMessage) => message.flags[flag],
      entry: ({ id }: ModelMessage) => ({ id, [flag]: true }),
    })),
    ...labels.map((label) => ({
      name: label,
      contains: (message: ModelMessage) => message.labels.has(label),
      entry: ({ id }: ModelMessage) => ({ id, addedLabels: [label] }),
    })),
  ].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function firstPosition(store: ModelStore, { shortRounds }: FeedFaults): FullPosition {
  const isShort = store.placement === 'labels' && store.random.happens(shortRounds)
  const named = isShort ? store.random.below(10) / 10 : 1
  return { start: store.seq, stage: '', below: null, named }
}

/** True for model messages in a shortened full listing. All its stages have the same messages. */
function isNamed({ order }: ModelMessage, { start, named }: FullPosition): boolean {
  return ((order * 7 + start) % 10) / 10 < named
}

function readFullRound(
  store: ModelStore,
  position: FullPosition,
  { feed, limit, generation }: { feed: Feed; limit: number; generation: number },
): ChangesPage {
  const { start, stage, below, named } = position
  const stages = stagesOf(store, feed).filter(({ name }) => name >= stage)
  // If the label of a listing stage was deleted since the last page, the full listing continues at
  // the top of the next stage.
  const [current, next] = stages
  const first = current?.name === stage ? (below ?? Infinity) : Infinity
  const rest = current
    ? store
        .list()
        .filter((message) => message.order < first && current.contains(message))
        .filter((message) => isNamed(message, position))
    : []
  const listed = rest.slice(0, limit)
  const changed = current ? listed.map(current.entry) : []
  const last = listed.at(-1)
  if (current && last && rest.length > limit)
    return page({
      full: true,
      changed,
      cursor: { generation, full: { start, stage: current.name, below: last.order, named } },
    })
  return next
    ? page({
        full: true,
        changed,
        cursor: { generation, full: { start, stage: next.name, below: null, named } },
      })
    : page({ full: true, changed, complete: true, cursor: { generation, seq: start } })
}

function readHistory(
  store: ModelStore,
  faults: FeedFaults,
  {
    feed,
    since,
    limit,
    generation,
  }: { feed: Feed; since: number; limit: number; generation: number },
): ChangesPage {
  const { random } = store
  const { records } = store.history(feed.id)
  const next = indexAfter(records, since)
  const replayed = random.happens(faults.replays) ? random.below(Math.min(next, limit) + 1) : 0
  const first = next - replayed
  const head = random.happens(faults.outdated)
    ? next + random.below(records.length - next + 1)
    : records.length
  const byId = new Map<string, HistoryRecord[]>()
  let end = first
  for (; end < head; end++) {
    const record = records[end]
    if (!record) break
    const list = byId.get(record.id)
    // A page with repeated changes has to reach its cursor, so that no cursor goes back.
    if (!list && byId.size >= limit && end >= next) break
    if (list) list.push(record)
    else byId.set(record.id, [record])
  }
  const seq = Math.max(since, records[end - 1]?.seq ?? since)
  const result = page({ cursor: { generation, seq }, complete: end >= head })
  for (const [id, list] of byId) addEntry({ store, faults, result, feed }, id, list)
  return result
}

interface EntryContext {
  store: ModelStore
  faults: FeedFaults
  result: ChangesPage
  feed: Feed
}

function addEntry(
  { store, faults, result, feed }: EntryContext,
  id: string,
  records: readonly HistoryRecord[],
): void {
  const leaves = records.some(({ kind }) => kind === 'removed')
  const last = records.at(-1)?.kind
  if (store.placement === 'labels') {
    if (last === 'removed') result.removed.push(id)
    else result.changed.push(mergeRecords(store, id, records))
    return
  }
  const message = store.messages.get(id)
  if (!message || message.folderId !== feed.folderId || (leaves && faults.losesReturns))
    result.removed.push(id)
  else if (records.some(({ kind }) => kind === 'added')) result.changed.push(stateOf(message))
  else result.changed.push(partialState(message, records))
}

/** Members of a model message that history records changed, with their current values. */
function partialState(message: ModelMessage, records: readonly HistoryRecord[]): MessageChange {
  const flags = Object.keys(Object.assign({}, ...records.map((record) => record.flags ?? {})))
  const labelled = records.some(
    ({ addedLabels = [], removedLabels = [] }) => addedLabels.length + removedLabels.length > 0,
  )
  return defined({
    id: message.id,
    folderId: message.folderId,
    labels: labelled ? [...message.labels] : undefined,
    ...Object.fromEntries(
      Object.entries(flagsOf(message.flags)).filter(([name]) => flags.includes(name)),
    ),
  })
}

/** Merges history records of the model to their net effect. At times leaves out the thread id. */
function mergeRecords(
  store: ModelStore,
  id: string,
  records: readonly HistoryRecord[],
): MessageChange {
  const [added, removed] = [new Set<string>(), new Set<string>()]
  const flags = {}
  for (const record of records) {
    Object.assign(flags, record.flags)
    for (const label of record.addedLabels ?? []) {
      added.add(label)
      removed.delete(label)
    }
    for (const label of record.removedLabels ?? []) {
      removed.add(label)
      added.delete(label)
    }
  }
  return defined({
    id,
    threadId: store.messages.get(id)?.threadId,
    addedLabels: added.size > 0 ? [...added] : undefined,
    removedLabels: removed.size > 0 ? [...removed] : undefined,
    ...flags,
  })
}

/** Index of the first record in the model mailbox's history with a sequence number above `seq`. */
function indexAfter(records: readonly HistoryRecord[], seq: number): number {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((records[middle]?.seq ?? Infinity) > seq) high = middle
    else low = middle + 1
  }
  return low
}

/** Feeds (change lists) of a mailbox with these folders. */
export function feedsOf(store: ModelStore, folderIds: readonly string[]): Feed[] {
  return store.placement === 'labels'
    ? [{ id: mailboxFeed }]
    : folderIds.map((id) => ({ id, folderId: id }))
}
