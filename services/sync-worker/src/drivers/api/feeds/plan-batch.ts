import type { ApiMessage, Feed, MessageChange } from '@posthorn/backends/mail-api'
import {
  emptyMessage,
  type IndexedMessage,
  isSameState,
  mergeChange,
  stateOfMessage,
} from '../index/indexed-message.ts'

/**
 * Changes that a feed (list of changes) reported: one page of changes, or a part of a collected
 * full round (list of all messages).
 */
export interface FeedBatch {
  feed: Pick<Feed, 'folderId'>
  changed: readonly MessageChange[]
  /** Ids of messages that left the folder or mailbox of the feed (list of changes). */
  removed: readonly string[]
  /** Ids of indexed messages that are requested before their change or removal is stored. */
  requested?: ReadonlySet<string>
  /**
   * True in the first full round (list of all messages) of a feed. Old messages then cause no
   * event.
   */
  isInitial?: boolean
  /**
   * Returns true if a new message is stored without an event, such as an old message while the
   * message index is filled.
   */
  isSilent?: (id: string) => boolean
}

/** Plan of the changes to store: the difference between a feed's report and the message index. */
export interface BatchPlan {
  /** New states of changed messages that the message index already contains. */
  updated: IndexedMessage[]
  /** New messages that are added to the message index without an event. */
  silent: IndexedMessage[]
  /** Ids of deleted messages that are in the message index. */
  deleted: string[]
  /**
   * Ids of messages to read, because the change depends on the message's present state: the message
   * is new, was moved, or was removed from a folder.
   */
  toGet: string[]
  /** Ids of deleted messages that are not in the message index. */
  dismissed: string[]
}

/**
 * Compares the changes that a feed (list of changes) reported with the message index. If the index
 * already has the reported states, the plan is empty, so that a repeated report has no effect.
 * Pure.
 */
export function planBatch(
  { feed, changed, removed, requested, isSilent }: FeedBatch,
  states: ReadonlyMap<string, IndexedMessage>,
): BatchPlan {
  const plan: BatchPlan = { updated: [], silent: [], deleted: [], toGet: [], dismissed: [] }
  for (const change of changed) {
    const folderId = change.folderId ?? feed.folderId
    const state = states.get(change.id)
    if (state && requested?.has(change.id)) plan.toGet.push(change.id)
    else if (state)
      planChange(plan, { ...change, ...(folderId !== undefined && { folderId }) }, state)
    else if (isSilent?.(change.id)) plan.silent.push(silentState(change, folderId))
    else plan.toGet.push(change.id)
  }
  const { folderId } = feed
  for (const id of removed)
    planRemoval(plan, { id, folderId, isRequested: requested?.has(id) === true }, states.get(id))
  return plan
}

function planChange(plan: BatchPlan, change: MessageChange, state: IndexedMessage): void {
  // If the reported folder differs from the indexed folder, the message is read, because the
  // message may have left the reported folder in the meantime.
  if (state.folderId !== change.folderId) {
    plan.toGet.push(change.id)
    return
  }
  const next = mergeChange(state, change)
  if (!isSameState(state, next)) plan.updated.push(next)
}

function planRemoval(
  plan: BatchPlan,
  { id, folderId, isRequested }: { id: string; folderId: string | undefined; isRequested: boolean },
  state: IndexedMessage | undefined,
): void {
  if (folderId === undefined && !isRequested) (state ? plan.deleted : plan.dismissed).push(id)
  // A message that left a folder may be in another folder, or may have returned. The message is
  // therefore read, also if it is not indexed.
  else if (!state || state.folderId === folderId) plan.toGet.push(id)
}

function silentState(change: MessageChange, folderId: string | undefined): IndexedMessage {
  const state = mergeChange(emptyMessage(change.id), change)
  return folderId === undefined ? state : { ...state, folderId }
}

/** Finding: result of comparing a message that was read with the message index. */
export type Finding =
  /**
   * Finding that the provider did not return a message. The message was deleted, or cannot be read
   * yet, even if a feed (list of changes) reported the message.
   */
  | { kind: 'missing'; id: string }
  /**
   * Finding that a message left its synced folder. `isMissing` is true if the provider did not
   * return the message, which another feed may still report.
   */
  | { kind: 'deleted'; state: IndexedMessage; isMissing?: boolean }
  | { kind: 'new'; message: ApiMessage; state: IndexedMessage }
  | { kind: 'moved'; message: ApiMessage; state: IndexedMessage; before: IndexedMessage }
  | { kind: 'updated'; state: IndexedMessage; before: IndexedMessage }
  /** Finding that a message equals its indexed state, or is in no synced folder and not indexed. */
  | { kind: 'unchanged'; id: string }

export interface FindingInput {
  id: string
  /** Message as returned by the provider. Undefined if the provider did not return the message. */
  message: ApiMessage | undefined
  /** True if a feed (list of changes) named the message as present. */
  isNamed: boolean
  /**
   * State of the message in the message index. Undefined if the index does not contain the message.
   */
  before: IndexedMessage | undefined
  /** Ids of drafts that belong to submissions in flight. */
  ownDrafts: ReadonlySet<string>
  /** Returns true if the messages in a folder are synced. */
  isListed: (folderId: string | undefined) => boolean
}

/** Compares a message that was read with the message index. Pure. */
export function compareMessage(input: FindingInput): Finding {
  const { id, message, before, isNamed, ownDrafts, isListed } = input
  if (!message) {
    const isDeleted = before !== undefined && !isNamed
    return isDeleted ? { kind: 'deleted', state: before, isMissing: true } : { kind: 'missing', id }
  }
  const isInside = isListed(message.folderId)
  if (!before) {
    if (!isInside || ownDrafts.has(id)) return { kind: 'unchanged', id }
    return { kind: 'new', message, state: stateOfMessage(message) }
  }
  if (!isInside) return { kind: 'deleted', state: before }
  const state = stateOfMessage(message)
  if (state.folderId !== before.folderId) return { kind: 'moved', message, state, before }
  if (isSameState(state, before)) return { kind: 'unchanged', id }
  return { kind: 'updated', state, before }
}
