import type { ApiMessage } from '@posthorn/backends/mail-api'
import type { NewEvent } from '@posthorn/db'
import {
  type FeedEventContext,
  messageDeleted,
  messageKey,
  messageUpdated,
} from '../events/feed-events.ts'
import {
  type IndexedMessage,
  isSameState,
  mergeChange,
  stateOfMessage,
} from '../index/indexed-message.ts'
import { retryDelaysMs } from '../../unreported-messages.ts'
import type { FeedPass } from './feed-pass.ts'
import type { NewPendingMessage } from './stored/feed-store.ts'
import type { IndexChange } from './stored/index-writer.ts'
import { type BatchPlan, type FeedBatch, planBatch } from './plan-batch.ts'
import { nameLabels, type ReadFinding, readMessages } from './read-messages.ts'
import { indexPart, type LoadedMessages } from './stored/stored-index.ts'

/**
 * Compares changes that a feed (list of changes) reported with the message index. Stores the
 * differences with their events. The last transaction also stores `end`, which contains the new
 * position of the feed. Many new messages need several transactions. After a crash between them,
 * the feed reports the same changes again, and only the missing messages are added. Returns the
 * number of messages that had to be read.
 */
export async function applyBatch(
  pass: FeedPass,
  batch: FeedBatch,
  end: IndexChange,
): Promise<number> {
  const { index, writer } = pass
  const ids = [...batch.changed.map(({ id }) => id), ...batch.removed]
  let loaded = await index.load(indexPart, ids)
  const plan = planBatch(batch, loaded.states)
  const named = new Map(
    batch.changed.map(({ id, folderId }) => [id, folderId ?? batch.feed.folderId ?? null]),
  )
  const folder = batch.feed.folderId ?? null
  const copies = currentCopies(pass, batch)
  const findings = await readMessages(pass, plan.toGet, {
    states: () => loaded.states,
    isNamed: (id) => named.has(id),
    isInitial: batch.isInitial === true,
    copies,
    store: async (stored) => {
      await writer.commit(changeOfFindings(pass, { findings: stored, loaded, named, folder }))
      loaded = await index.load(indexPart, ids)
    },
  })
  await nameLabels(pass, plan.updated)
  const change = changeOfFindings(pass, { findings, loaded, named, folder, plan })
  await writer.commit({ ...end, ...change, parts: [...(end.parts ?? []), ...change.parts] })
  return plan.toGet.length
}

/**
 * Selects the copies of messages that contain the changes that a feed (list of changes) reported. A
 * copy without these changes is older than the feed's report and is left out, because the feed
 * would not report the changes again.
 */
function currentCopies(
  { copies }: FeedPass,
  { changed, feed }: FeedBatch,
): ReadonlyMap<string, ApiMessage> {
  const current = new Map<string, ApiMessage>()
  for (const change of changed) {
    const copy = copies.get(change.id)
    copies.delete(change.id)
    if (!copy) continue
    const state = stateOfMessage(copy)
    const folderId = change.folderId ?? feed.folderId
    const reported = mergeChange(state, { ...change, ...(folderId !== undefined && { folderId }) })
    if (isSameState(state, reported)) current.set(change.id, copy)
  }
  return current
}

interface Findings {
  findings: readonly ReadFinding[]
  loaded: LoadedMessages
  /**
   * Folders of the messages that a feed (list of changes) named. A message that is not named and
   * not returned by the provider counts as deleted.
   */
  named: ReadonlyMap<string, string | null>
  /**
   * Folder of the feed (list of changes) that named the messages. Messages reported as removed were
   * in this folder.
   */
  folder: string | null
  /** Planned changes of indexed messages for which the provider's messages need not be read. */
  plan?: BatchPlan
}

/**
 * Computes the changes of the message index, the events and the pending messages that follow from
 * comparing the messages that were read with the index.
 */
export function changeOfFindings(pass: FeedPass, input: Findings) {
  const { findings, loaded, plan } = input
  const states = new Map<string, IndexedMessage | undefined>()
  const events: NewEvent[] = []
  for (const finding of [...findings, ...findingsOf(plan, loaded)]) {
    if ('id' in finding) continue
    const { kind, state } = finding
    states.set(state.id, kind === 'deleted' ? undefined : state)
    events.push(...eventsOf(pass.events, finding))
  }
  for (const state of plan?.silent ?? []) states.set(state.id, state)
  const { part, added } = loaded.change(states)
  const { settled, left } = settledIds(input)
  const changedIds = [...states.keys()].filter((id) => !left.includes(id))
  return {
    parts: [part],
    added,
    events,
    announcements: announcementsOf(pass, findings),
    newPending: pendingOf(pass, input),
    deletedPending: [...(plan?.dismissed ?? []), ...settled, ...changedIds],
    leftPending: { folder: input.folder, messages: left },
  } satisfies IndexChange
}

/**
 * Selects the pending messages to store: messages that a feed (list of changes) named but the
 * provider did not return, and messages that the provider refused. A message that was not returned
 * may have been moved or deleted.
 */
function pendingOf(
  { now }: FeedPass,
  { findings, named, folder: feedFolder }: Findings,
): NewPendingMessage[] {
  const nextAt = new Date(now().getTime() + retryDelaysMs[0])
  return findings.flatMap((finding) => {
    if (finding.kind !== 'missing' && finding.kind !== 'refused') return []
    const { kind, id } = finding
    const isNamed = named.has(id)
    if (kind === 'missing' && !isNamed) return []
    return { message: id, folder: named.get(id) ?? feedFolder, tries: 0, nextAt, isNamed }
  })
}

/**
 * Selects the messages that need not be read again. The messages in `left` were removed from the
 * folder of the feed (list of changes) and not returned by the provider. Such a message may still
 * be pending for another folder.
 */
function settledIds({ findings, named }: Findings): { settled: string[]; left: string[] } {
  const settled: string[] = []
  const left: string[] = []
  for (const finding of findings)
    if (finding.kind === 'unchanged') settled.push(finding.id)
    else if (finding.kind === 'missing' && !named.has(finding.id)) left.push(finding.id)
    else if (finding.kind === 'deleted' && finding.isMissing) left.push(finding.state.id)
  return { settled, left }
}

/** Creates the events, except `messageNew`, of a finding (message compared with the index). */
function eventsOf(context: FeedEventContext, finding: ReadFinding): NewEvent[] {
  if (finding.kind === 'deleted') return [messageDeleted(context, finding.state)]
  if (finding.kind === 'moved') return [messageDeleted(context, finding.before)]
  if (finding.kind !== 'updated') return []
  const event = messageUpdated(context, finding.state, finding.before)
  return event ? [event] : []
}

/**
 * Converts the planned changes of indexed messages to findings (results of comparisons with the
 * index). No message had to be read for these changes.
 */
function findingsOf(plan: BatchPlan | undefined, { states }: LoadedMessages): ReadFinding[] {
  if (!plan) return []
  const updated = plan.updated.flatMap((state): ReadFinding[] => {
    const before = states.get(state.id)
    return before ? [{ kind: 'updated', state, before }] : []
  })
  const deleted = plan.deleted.flatMap((id): ReadFinding[] => {
    const state = states.get(id)
    return state ? [{ kind: 'deleted', state }] : []
  })
  return [...deleted, ...updated]
}

/**
 * Announcements (`messageNew` events to record) by mailbox, in the order of the findings (compared
 * messages).
 */
function announcementsOf({ names, events }: FeedPass, findings: readonly ReadFinding[]) {
  const due = findings.flatMap((finding) => {
    const { announcement } = finding
    if (!announcement || (finding.kind !== 'new' && finding.kind !== 'moved')) return []
    const { id, folderId } = finding.state
    return [{ folderId, announcement: { ...announcement, key: messageKey(id, events) } }]
  })
  return [...Map.groupBy(due, ({ folderId }) => folderId)].map(([folderId, entries]) => ({
    mailbox: names.mailboxOf(folderId),
    announcements: entries.map(({ announcement }) => announcement),
  }))
}
