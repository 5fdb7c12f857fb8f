import type { ApiFlags, ApiMessage, MessageChange } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'

/** Message as stored in the message index of an account at a mail API. */
export interface IndexedMessage extends ApiFlags {
  id: string
  threadId?: string
  /** Id of the only folder of the message. Absent with placement `labels`. */
  folderId?: string
  /** Labels of the message, distinct and sorted: ids of folders (placement `labels`) or names. */
  labels: readonly string[]
  /** Set in a collected full round: the message is recent enough to be announced. */
  recent?: true
}

/** Names of the flags, as `MailApi` has them. */
export const apiFlags = ['unseen', 'flagged', 'draft'] as const satisfies (keyof ApiFlags)[]

/** Maximum labels of an indexed message. Gmail allows 10,000 per mailbox; clients use a few. */
const maxLabels = 500

/** Message with no reported data except the id. */
export function emptyMessage(id: string): IndexedMessage {
  return { id, labels: [], unseen: false, flagged: false, draft: false }
}

/** State of an indexed message after a change. Members without a change stay. Pure. */
export function mergeChange(state: IndexedMessage, change: MessageChange): IndexedMessage {
  const { addedLabels = [], removedLabels = [] } = change
  const flags = Object.fromEntries(apiFlags.map((flag) => [flag, change[flag] ?? state[flag]]))
  const removed = new Set(removedLabels)
  const remaining = (change.labels ?? state.labels).filter((label) => !removed.has(label))
  const isLabelled = change.labels !== undefined || addedLabels.length + removedLabels.length > 0
  return defined({
    id: state.id,
    threadId: change.threadId ?? state.threadId,
    folderId: change.folderId ?? state.folderId,
    labels: isLabelled ? sortLabels([...remaining, ...addedLabels]) : state.labels,
    ...(flags as unknown as ApiFlags),
    recent: state.recent,
  })
}

/** State to index for a message that was read. Pure. */
export function stateOfMessage(message: ApiMessage): IndexedMessage {
  const { id, threadId, folderId, labels, unseen, flagged, draft } = message
  return defined({ id, threadId, folderId, labels: sortLabels(labels), unseen, flagged, draft })
}

/** Change that leads to exactly this state of an indexed message. Pure. */
export function absoluteChange(state: IndexedMessage): MessageChange {
  const { recent: _, labels, ...rest } = state
  return { ...rest, labels: [...labels] }
}

/**
 * True if both messages have the same folder, labels and flags. Thread ids are not compared. Pure.
 */
export function isSameState(one: IndexedMessage, other: IndexedMessage): boolean {
  return (
    one.folderId === other.folderId &&
    apiFlags.every((flag) => one[flag] === other[flag]) &&
    isSameList(one.labels, other.labels)
  )
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((label, at) => label === other[at])
}

/**
 * Sorts the labels of a message. A lone surrogate is replaced: it could not be stored and would
 * differ at each comparison.
 */
function sortLabels(labels: readonly string[]): string[] {
  const distinct = [...new Set(labels.map((label) => label.toWellFormed()))]
  return distinct.sort().slice(0, maxLabels)
}
