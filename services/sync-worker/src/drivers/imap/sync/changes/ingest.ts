import type { FetchedMessage, UidRange } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { MessageSummary } from '@posthorn/contracts/schemas/summary'
import { measureJson, type NewEvent, type Tx } from '@posthorn/db'
import { sleep } from '@posthorn/flow'
import {
  announceMessages,
  type MessageNewDraft,
  type MessageNovelty,
  noveltyOf,
} from '../../../../events/announce.ts'
import { commit } from '../../../../events/commit.ts'
import type { MessageReport } from '../../../../events/reports.ts'
import { type FetchRetries, messageKey, messageMissing } from '../../events/mailbox-events.ts'
import { draftMessageNew } from '../../../messages/message-new.ts'
import { newMessage } from '../../messages/new-message.ts'
import { applyFlags } from '../../index/compare.ts'
import {
  batchesOf,
  countUids,
  intersectRanges,
  rangesOf,
  subtractRanges,
  uidsIn,
} from '../../index/ranges.ts'
import { addCategories } from '../../messages/gmail.ts'
import { saveChunks } from '../../index/mailbox-index.ts'
import { raiseSyncEpoch } from '../../../../store/mailbox-sync-state.ts'
import type { SummaryBatch } from '../../../../summaries/summaries.ts'
import type { MailboxContext } from '../context.ts'
import { storeNewLabels, withoutOwnLabel } from './flags.ts'

/** Maximum new messages per fetch, and maximum events per transaction. */
const batchSize = 50
/** Approximate maximum bytes of `messageNew` events per transaction. */
const maxBatchBytes = 4 * 1024 * 1024
/** Delays before a message that the server lists but does not return is fetched again. */
const retryDelaysMs = [1_000, 1_700, 2_900]

/**
 * New message to store. If the message has a `draft` (data of the event), `messageNew` is recorded.
 */
interface Arrival extends MessageNovelty {
  uid: number
  flags: string[]
  labels?: string[]
  draft?: MessageNewDraft & Partial<FetchRetries>
  report?: MessageReport
  summary?: Promise<MessageSummary | undefined>
}

interface AnnounceContext {
  announceFrom: Date | undefined
  summaries: SummaryBatch
  missing?: FetchRetries
}

export interface AnnounceOptions {
  /** Arrival time before which new messages are stored without an event. */
  announceFrom: Date | undefined
  /**
   * Called after each batch of new messages, when all messages with UIDs below `uidNext` are
   * stored.
   */
  onBatch?: (uidNext: number) => Promise<void>
}

/** Fetches new messages and stores them with their events, in one transaction per batch. */
export async function announceNew(
  mailbox: MailboxContext,
  added: readonly UidRange[],
  { announceFrom, onBatch }: AnnounceOptions,
): Promise<void> {
  const context = { announceFrom, summaries: mailbox.deps.summaries.startBatch(mailbox.signal) }
  for (const batch of batchesOf(added, batchSize)) {
    mailbox.signal.throwIfAborted()
    const fetched = (await fetch(mailbox, batch)).filter(hasContent)
    await ingest(mailbox, fetched, context)
    const missing = subtractRanges(batch, uidRangesOf(fetched))
    if (countUids(missing) > 0) await retryMissing(mailbox, missing, context)
    await onBatch?.((batch.at(-1)?.[1] ?? 0) + 1)
  }
}

function fetch({ session }: MailboxContext, uids: readonly UidRange[]): Promise<FetchedMessage[]> {
  return Array.fromAsync(session.fetchMessages(uids, { headers: true }))
}

function uidRangesOf(messages: readonly FetchedMessage[]): UidRange[] {
  return rangesOf(messages.map(({ uid }) => uid))
}

/**
 * True if a fetched message has a header. If a message was expunged just now, Dovecot 2.3 returns
 * only its flags and size. A message without a header is therefore treated as missing and fetched
 * again.
 */
function hasContent({ headers, envelope }: FetchedMessage): boolean {
  return (
    (headers?.some((byte) => byte > 32) ?? false) ||
    envelope.from.length > 0 ||
    envelope.subject !== undefined
  )
}

/**
 * Fetches new messages again that the server listed but did not return. Records the messages that
 * stay missing.
 */
async function retryMissing(
  mailbox: MailboxContext,
  uids: readonly UidRange[],
  context: AnnounceContext,
): Promise<void> {
  const { session, signal } = mailbox
  let missing = [...uids]
  let missingDelay = 0
  for (const [at, waitMs] of retryDelaysMs.entries()) {
    missing = intersectRanges(missing, await session.searchUids({ all: true }))
    if (missing.length === 0) return // messages deleted meanwhile have no event
    await sleep(waitMs, signal)
    missingDelay += waitMs
    const isLast = at === retryDelaysMs.length - 1
    const messages = await fetch(mailbox, missing)
    const fetched = messages.filter((message) => isLast || hasContent(message))
    const retries = { missingRetries: at + 1, missingDelay }
    await ingest(mailbox, fetched, { ...context, missing: retries })
    missing = subtractRanges(missing, uidRangesOf(fetched))
  }
  await recordMissing(mailbox, missing, { missingRetries: retryDelaysMs.length, missingDelay })
}

async function recordMissing(
  mailbox: MailboxContext,
  ranges: readonly UidRange[],
  retries: FetchRetries,
): Promise<void> {
  const { account, row } = mailbox
  const uids = [...uidsIn(ranges)]
  if (uids.length === 0) return
  mailbox.log.warn({ path: row.path, uids: uids.length }, 'listed messages could not be fetched')
  const arrivals = uids.map((uid): Arrival => ({ uid, flags: [], mayBeNew: false }))
  await store(mailbox, arrivals, () =>
    uids.map((uid) => messageMissing(account, row, { uid, ...retries })),
  )
}

/** Builds events of fetched new messages. Stores messages and events in limited batches. */
async function ingest(
  mailbox: MailboxContext,
  fetched: readonly FetchedMessage[],
  { announceFrom, summaries, missing }: AnnounceContext,
): Promise<void> {
  let batch: Arrival[] = []
  let bytes = 0
  const flush = async () => {
    const drafts = batch.flatMap(({ draft }) => draft ?? [])
    await addCategories(mailbox.session, drafts, await mailbox.deps.settings.get())
    await addSummaries(batch, summaries)
    if (batch.length > 0) await store(mailbox, batch, (tx) => announce(mailbox, tx, batch))
    batch = []
    bytes = 0
  }
  for (const message of fetched) {
    mailbox.signal.throwIfAborted()
    const isSilent = announceFrom !== undefined && isBefore(message.internalDate, announceFrom)
    const arrival = isSilent
      ? { ...indexEntryOf(message), mayBeNew: false }
      : await prepareArrival(mailbox, message, summaries)
    if (arrival.draft && missing) Object.assign(arrival.draft, missing)
    if (message.incomplete) mailbox.deps.metrics.incomplete('refused')
    else if (message.truncated) mailbox.deps.metrics.incomplete('truncated')
    batch.push(arrival)
    bytes += measureJson([arrival.draft, arrival.report], { maxBytes: maxBatchBytes })
    if (bytes > maxBatchBytes) await flush()
  }
  await flush()
}

/**
 * True if a message arrived before `announceFrom`. INTERNALDATE has whole seconds, so a message of
 * the same second does not count as earlier.
 */
function isBefore(internalDate: Date, announceFrom: Date): boolean {
  return internalDate.getTime() < Math.floor(announceFrom.getTime() / 1_000) * 1_000
}

async function prepareArrival(
  { deps, account, row, session, signal }: MailboxContext,
  message: FetchedMessage,
  summaries: SummaryBatch,
): Promise<Arrival> {
  const settings = await deps.settings.get()
  const source = { session, read: deps.reader.forAccount(account.account, signal) }
  const read = newMessage(source, { message, mailbox: row })
  const { draft, report, toSummarise } = await draftMessageNew(read, settings)
  return defined({
    ...indexEntryOf(message),
    draft,
    report,
    // The summary of a new message is requested but not awaited, so that the next messages are read
    // meanwhile.
    summary: toSummarise && summaries.request(toSummarise, settings),
    ...noveltyOf(draft, { arrivedAt: message.internalDate, notifyFrom: account.notifyFrom }),
  })
}

/**
 * Waits for message summaries before the transaction starts, because transactions must not wait for
 * responses of the summary endpoint.
 */
async function addSummaries(batch: readonly Arrival[], summaries: SummaryBatch): Promise<void> {
  const pending = batch.flatMap(({ draft, summary }) =>
    draft && summary
      ? [summary.then((result) => result && Object.assign(draft, { summary: result }))]
      : [],
  )
  if (pending.length > 0) await summaries.waitAll(pending)
}

function indexEntryOf({ uid, flags, labels }: FetchedMessage) {
  return defined({ uid, flags, labels })
}

function announce({ account, row }: MailboxContext, tx: Tx, batch: readonly Arrival[]) {
  const announcements = batch.flatMap(({ uid, draft, ...arrival }) =>
    draft ? { ...arrival, draft, key: messageKey(row, uid) } : [],
  )
  return announceMessages(tx, { account, mailbox: row }, announcements)
}

/** Stores new messages and events in one transaction, then adopts them in the mailbox index. */
async function store(
  mailbox: MailboxContext,
  arrivals: readonly Arrival[],
  eventsOf: (tx: Tx) => NewEvent[] | Promise<NewEvent[]>,
): Promise<void> {
  const { deps, account, row, index } = mailbox
  const isFull = row.indexer === 'full'
  // A fast index contains no messages. For a fast index, the caller of `announceNew` stores the
  // position in `onBatch`.
  const entries = isFull ? withoutOwnLabel(row, arrivals) : []
  await storeNewLabels(mailbox, entries)
  const { dirtyChunks } = applyFlags(index, entries)
  await commit(deps, account.lease, async (tx, record) => {
    await saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks)
    await raiseSyncEpoch(tx, row.id)
    await record(await eventsOf(tx))
  })
  index.adopt(dirtyChunks)
  if (isFull) deps.metrics.indexed(arrivals.length)
}
