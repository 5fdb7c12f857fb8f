import { setTimeout as delay } from 'node:timers/promises'
import type { FetchedMessage, UidRange } from '@posthorn/backends'
import type { MessageSummary } from '@posthorn/contracts'
import type { NewEvent, Tx } from '@posthorn/db'
import { commit } from '../events/commit.ts'
import { mailboxEvent } from '../events/ids.ts'
import { type FetchRetries, messageMissing } from '../events/message-changes.ts'
import { draftMessageNew, type MessageNewDraft } from '../events/message-new.ts'
import { bounceRows, type MessageReport, reportEvents } from '../events/reports.ts'
import { applyFlags } from '../index/compare.ts'
import {
  batchesOf,
  countUids,
  intersectRanges,
  rangesOf,
  subtractRanges,
  uidsIn,
} from '../index/ranges.ts'
import { addCategories } from '../messages/gmail.ts'
import { announcedDays, hashMessageId, insertAnnounced } from '../store/announced.ts'
import { insertBounces } from '../store/bounces.ts'
import { saveChunks } from '../store/chunks.ts'
import { raiseSyncEpoch } from '../store/mailboxes.ts'
import { findQueueIds } from '../store/outbox.ts'
import type { SummaryBatch } from '../summaries/summaries.ts'
import type { MailboxContext } from './context.ts'
import { storeNewLabels, withoutOwnLabel } from './changes/labels.ts'

/** Messages fetched in one go, and events stored in one transaction, at most. */
const batchSize = 50
/** Characters of events in one transaction, about. */
const maxBatchLength = 4 * 1024 * 1024
/** Between tries to fetch a message that the server names and does not give. */
const retryDelaysMs = [1_000, 1_700, 2_900]

/** How far a server's clock may be behind ours before an arrival looks older than the account. */
const skewMs = 10 * 60_000

/** A message to take in: with an event, or silently where there is no draft. */
interface Arrival {
  uid: number
  flags: string[]
  labels?: string[]
  draft?: MessageNewDraft & Partial<FetchRetries>
  /** What it says about another message. */
  reported?: MessageReport
  /** Of its Message-ID, where it counts for whether others like it are new. */
  hash?: string
  /** On its way, where one is wanted. */
  summary?: Promise<MessageSummary | undefined>
  /** By its date and its mailbox it may be new; whether it was seen before is for the transaction to say. */
  mayBeNew: boolean
}

/** How new messages of one look at a mailbox are told of. */
interface AnnounceContext {
  announceFrom: Date | undefined
  summaries: SummaryBatch
  missing?: FetchRetries
}

export interface AnnounceOptions {
  /** Those that came into the mailbox before it are remembered silently. */
  announceFrom: Date | undefined
  /** Called when all messages up to a UID were told of; the next is said. */
  onBatch?: (uidNext: number) => Promise<void>
}

/** Fetches messages that were not known, tells of each and remembers it, a batch in one transaction. */
export async function announceNew(
  mailbox: MailboxContext,
  added: readonly UidRange[],
  { announceFrom, onBatch }: AnnounceOptions,
): Promise<void> {
  const telling = { announceFrom, summaries: mailbox.deps.summaries.startBatch(mailbox.signal) }
  for (const batch of batchesOf(added, batchSize)) {
    mailbox.signal.throwIfAborted()
    const fetched = (await fetch(mailbox, batch)).filter(hasContent)
    await ingest(mailbox, fetched, telling)
    const missing = subtractRanges(batch, rangesOf(fetched.map(({ uid }) => uid)))
    if (countUids(missing) > 0) await retryMissing(mailbox, missing, telling)
    await onBatch?.((batch.at(-1)?.[1] ?? 0) + 1)
  }
}

function fetch({ session }: MailboxContext, uids: readonly UidRange[]): Promise<FetchedMessage[]> {
  return Array.fromAsync(session.fetchMessages(uids, { headers: true }))
}

/**
 * Of a message that was expunged a moment ago some servers (Dovecot 2.3) still tell flags and size, and nothing else. A message without a
 * header is taken for one of those until it proves to stay.
 */
function hasContent({ headers, envelope }: FetchedMessage): boolean {
  return (
    (headers?.some((byte) => byte > 32) ?? false) ||
    envelope.from.length > 0 ||
    envelope.subject !== undefined
  )
}

/** Messages the server named and did not give: gone since, late, or beyond its means. */
async function retryMissing(
  mailbox: MailboxContext,
  given: readonly UidRange[],
  telling: AnnounceContext,
): Promise<void> {
  const { session, signal } = mailbox
  let missing = [...given]
  let missingDelay = 0
  for (const [at, waitMs] of retryDelaysMs.entries()) {
    missing = intersectRanges(missing, await session.searchUids({ all: true }))
    if (missing.length === 0) return // came and went: there is nothing to tell
    await delay(waitMs, undefined, { signal })
    missingDelay += waitMs
    const last = at === retryDelaysMs.length - 1
    const fetched = (await fetch(mailbox, missing)).filter((message) => last || hasContent(message))
    const missed = { missingRetries: at + 1, missingDelay }
    await ingest(mailbox, fetched, { ...telling, missing: missed })
    missing = subtractRanges(missing, rangesOf(fetched.map(({ uid }) => uid)))
  }
  await recordMissing(mailbox, missing, { missingRetries: retryDelaysMs.length, missingDelay })
}

async function recordMissing(
  mailbox: MailboxContext,
  ranges: readonly UidRange[],
  missing: FetchRetries,
): Promise<void> {
  const { account, row } = mailbox
  const uids = [...uidsIn(ranges)]
  if (uids.length === 0) return
  mailbox.log.warn(
    { path: row.path, uids: uids.length },
    'messages that the server names could not be fetched',
  )
  const arrivals = uids.map((uid): Arrival => ({ uid, flags: [], mayBeNew: false }))
  await store(mailbox, arrivals, () =>
    uids.map((uid) => messageMissing(account, row, { uid, ...missing })),
  )
}

async function ingest(
  mailbox: MailboxContext,
  fetched: readonly FetchedMessage[],
  { announceFrom, summaries, missing }: AnnounceContext,
): Promise<void> {
  let batch: Arrival[] = []
  let length = 0
  const flush = async () => {
    const drafts = batch.flatMap(({ draft }) => draft ?? [])
    await addCategories(mailbox.session, drafts, await mailbox.deps.settings.get())
    await addSummaries(batch, summaries)
    if (batch.length > 0) await store(mailbox, batch, (tx) => announce(mailbox, tx, batch))
    batch = []
    length = 0
  }
  for (const message of fetched) {
    mailbox.signal.throwIfAborted()
    const silent = announceFrom !== undefined && isBefore(message.internalDate, announceFrom)
    const arrival = silent
      ? { ...indexEntryOf(message), mayBeNew: false }
      : await prepareArrival(mailbox, message, summaries)
    if (arrival.draft && missing) Object.assign(arrival.draft, missing)
    batch.push(arrival)
    length += arrival.draft ? JSON.stringify(arrival.draft).length : 0
    if (length > maxBatchLength) await flush()
  }
  await flush()
}

/** Dates of arrival are whole seconds: what came in the same second did not come before. */
function isBefore(internalDate: Date, announceFrom: Date): boolean {
  return internalDate.getTime() < Math.floor(announceFrom.getTime() / 1_000) * 1_000
}

async function prepareArrival(
  { deps, account, row, session }: MailboxContext,
  message: FetchedMessage,
  summaries: SummaryBatch,
): Promise<Arrival> {
  const settings = await deps.settings.get()
  const drafted = await draftMessageNew(session, { message, mailbox: row }, settings)
  const { draft, report: reported, toSummarise } = drafted
  // Older than the account, or than our memory: it was put here, it did not arrive.
  const remembered = Date.now() - announcedDays * 86_400_000
  const oldest = Math.max(account.notifyFrom.getTime() - skewMs, remembered)
  // In Gmail's All Mail the labels say so.
  const sent = draft.messageSpecialUse === '\\Sent'
  const identity = draft.messageId ?? draft.emailId
  return {
    ...indexEntryOf(message),
    draft,
    ...(reported ? { reported } : {}),
    // Asked for while the next messages are read.
    ...(toSummarise ? { summary: summaries.request(toSummarise, settings) } : {}),
    mayBeNew: !sent && message.internalDate.getTime() >= oldest,
    ...(sent || identity === undefined ? {} : { hash: hashMessageId(identity) }),
  }
}

/** Before the transaction, which waits for nobody. */
async function addSummaries(batch: readonly Arrival[], summaries: SummaryBatch): Promise<void> {
  const adding = batch.flatMap(({ draft, summary }) =>
    draft && summary
      ? [summary.then((made) => made && Object.assign(draft, { summary: made }))]
      : [],
  )
  if (adding.length > 0) await summaries.waitAll(adding)
}

function indexEntryOf({
  uid,
  flags,
  labels,
}: FetchedMessage): Pick<Arrival, 'uid' | 'flags' | 'labels'> {
  return { uid, flags, ...(labels ? { labels } : {}) }
}

/** The events of a batch. A Message-ID that was announced before, here or in another mailbox, makes a message that only moved. */
async function announce(
  { account, row }: MailboxContext,
  tx: Tx,
  batch: readonly Arrival[],
): Promise<NewEvent[]> {
  const hashes = batch.flatMap(({ hash }) => hash ?? [])
  const unseen = await insertAnnounced(tx, account.account, hashes)
  const told: MessageReport[] = []
  const sent = await findQueueIds(tx, account.account, bouncedIn(batch))
  const events = batch.flatMap(({ uid, draft, hash, mayBeNew, reported }) => {
    if (!draft) return []
    // Of several in one batch the first is the new one: taken out of the set, it is not found again.
    const first = hash === undefined || unseen.delete(hash)
    const data = { ...draft, seemsLikeNew: mayBeNew && first }
    const event = mailboxEvent(account, row, {
      event: 'messageNew',
      key: [String(row.uidValidity), uid, row.number],
      data,
    })
    // A report that was only moved was told before.
    if (!reported || !data.seemsLikeNew) return [event]
    told.push(reported)
    return [event, ...reportEvents(account, row, { uid, reported, sent })]
  })
  const now = new Date()
  await insertBounces(
    tx,
    told.flatMap((reported) => bounceRows(account.account, reported, now)),
  )
  return events
}

/** The Message-IDs of messages that were not delivered. */
function bouncedIn(batch: readonly Arrival[]): string[] {
  return batch.flatMap(({ reported }) => {
    const messageIds = reported?.bounces.flatMap(({ messageId }) => messageId ?? []) ?? []
    return [...new Set(messageIds)]
  })
}

/** What came and its events in one transaction; known to be there once that is through. */
async function store(
  mailbox: MailboxContext,
  arrivals: readonly Arrival[],
  eventsOf: (tx: Tx) => NewEvent[] | Promise<NewEvent[]>,
): Promise<void> {
  const { deps, account, row, index } = mailbox
  // A fast index remembers where it is, which its caller says.
  const remembered = row.indexer === 'full' ? withoutOwnLabel(row, arrivals) : []
  await storeNewLabels(mailbox, remembered)
  const { dirtyChunks } = applyFlags(index, remembered)
  await commit(deps, account.lease, async (tx, record) => {
    await saveChunks(tx, { mailbox: row.id, epoch: account.lease.epoch }, dirtyChunks)
    await raiseSyncEpoch(tx, row.id)
    await record(await eventsOf(tx))
  })
  index.adopt(dirtyChunks)
  if (row.indexer === 'full') deps.metrics.indexed(arrivals.length)
}
