import type { ApiFlags, ApiMessage, MessageChange } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'

/** Message as stored in the message index of an account at a mail API. */
export interface IndexedMessage extends ApiFlags {
  id: string
  threadId?: string
  /**
   * Id of the only folder of the message. Absent if labels replace folders (placement `labels`).
   */
  folderId?: string
  /**
   * Distinct labels of the message, sorted. Ids of folders if labels replace folders (placement
   * `labels`), otherwise names of labels.
   */
  labels: readonly string[]
  /**
   * Marks a message that is recent enough to be announced. Set only in a collected full round (list
   * of all messages).
   */
  recent?: true
}

/** Names of the message flags in the types of `MailApi`. */
export const apiFlags = ['unseen', 'flagged', 'draft'] as const satisfies (keyof ApiFlags)[]

/** Maximum labels of an indexed message. Gmail allows 10,000 per mailbox; clients use a few. */
const maxLabels = 500

/** Creates an indexed message from an id, without folder, labels and flags. */
export function emptyMessage(id: string): IndexedMessage {
  return { id, labels: [], unseen: false, flagged: false, draft: false }
}

/** Applies a change to an indexed message. Members absent in the change stay. Pure. */
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

/** Converts a message that was read from the provider to its state in the message index. Pure. */
export function stateOfMessage(message: ApiMessage): IndexedMessage {
  const { id, threadId, folderId, labels, unseen, flagged, draft } = message
  return defined({ id, threadId, folderId, labels: sortLabels(labels), unseen, flagged, draft })
}

/** Creates the change that sets all members of an indexed message to a state. Pure. */
export function absoluteChange(state: IndexedMessage): MessageChange {
  const { recent: _, labels, ...rest } = state
  return { ...rest, labels: [...labels] }
}

/** True if two messages have the same folder, labels and flags. Ignores thread ids. Pure. */
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
 * Sorts the labels of a message and removes duplicates. Replaces lone surrogates in a label,
 * because Postgres cannot store them and the label would always differ from the stored label.
 */
function sortLabels(labels: readonly string[]): string[] {
  const distinct = [...new Set(labels.map((label) => label.toWellFormed()))]
  return distinct.sort().slice(0, maxLabels)
}
