import type { ApiMessage, Feed, MessageChange } from '@posthorn/backends/mail-api'
import {
  emptyMessage,
  type IndexedMessage,
  isSameState,
  mergeChange,
  stateOfMessage,
} from '../index/indexed-message.ts'

/** Changes that a feed reported: a page of changes, or a part of a collected full round. */
export interface FeedBatch {
  feed: Pick<Feed, 'folderId'>
  changed: readonly MessageChange[]
  /** Ids of messages that left the folder or mailbox of the feed. */
  removed: readonly string[]
  /** Ids of indexed messages that are requested before their change or removal is stored. */
  requested?: ReadonlySet<string>
  /** True for the first full round of a feed: older messages have no event. */
  isInitial?: boolean
  /**
   * True for a message that is not indexed and is stored without an event, like old messages while
   * the index is filled.
   */
  isSilent?: (id: string) => boolean
}

/** Difference between the changes that a feed reported and the message index. */
export interface BatchPlan {
  /** New states of indexed messages. */
  updated: IndexedMessage[]
  /** New messages without an event. */
  silent: IndexedMessage[]
  /** Indexed messages that were deleted. */
  deleted: string[]
  /**
   * Messages to read, because their present state decides: new, moved, or removed from a folder.
   */
  toGet: string[]
  /** Ids of messages that were deleted and are not indexed. */
  dismissed: string[]
}

/**
 * Compares the changes that a feed reported with the message index. A repeated report gives an
 * empty plan, because the index has its states already. Pure.
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
  // The reported folder of the message may be outdated: the message may have moved on.
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
  // A message that left a folder was moved, or was removed and returned. Both also apply to
  // messages that are not indexed.
  else if (!state || state.folderId === folderId) plan.toGet.push(id)
}

function silentState(change: MessageChange, folderId: string | undefined): IndexedMessage {
  const state = mergeChange(emptyMessage(change.id), change)
  return folderId === undefined ? state : { ...state, folderId }
}

/** Outcome of reading a message, compared with the message index. */
export type Finding =
  /**
   * Message that was not returned: deleted in the meantime, or not yet readable, also in a folder
   * where a feed reported the message.
   */
  | { kind: 'missing'; id: string }
  /**
   * `isMissing`: the message left its folder and was not returned, so another feed may name the
   * message.
   */
  | { kind: 'deleted'; state: IndexedMessage; isMissing?: boolean }
  | { kind: 'new'; message: ApiMessage; state: IndexedMessage }
  | { kind: 'moved'; message: ApiMessage; state: IndexedMessage; before: IndexedMessage }
  | { kind: 'updated'; state: IndexedMessage; before: IndexedMessage }
  /** State equal to the message index, or message outside of the synced mailbox. */
  | { kind: 'unchanged'; id: string }

export interface FindingInput {
  id: string
  /** Message as the provider returned it; undefined if the provider did not return the message. */
  message: ApiMessage | undefined
  /** True if a feed named the message as present. */
  isNamed: boolean
  /** State of the message in the index; undefined if the message is not indexed. */
  before: IndexedMessage | undefined
  /** Ids of drafts that belong to submissions in flight. */
  ownDrafts: ReadonlySet<string>
  /** True for folders that are listed. */
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
