import { incompleteResponse } from '../mail-api/errors.ts'
import type { MessageChange } from '../mail-api/feeds.ts'
import { isApiId, maxBulkIds } from '../mail-api/ids.ts'
import type { GmailHistory, GmailMessage } from '../provider-types/gmail.ts'
import { changeOfLabel, stateOfLabels } from './labels.ts'

/** Net changes of messages in history records of a Gmail mailbox. */
export interface HistoryChanges {
  changed: MessageChange[]
  removed: string[]
  /**
   * Id of the last Gmail history record whose changes are included. Absent if all records are
   * included.
   */
  cutAt?: string
}

/**
 * Checks that each message of the Gmail history has an id.
 * @throws MailApiError `unavailable` for a message without an id: the change of this message would
 * otherwise be lost
 */
export function assertMessageIds({ history = [] }: { history?: readonly GmailHistory[] }): void {
  for (const each of history) {
    const { messagesAdded = [], messagesDeleted = [], labelsAdded = [], labelsRemoved = [] } = each
    for (const { message } of [messagesAdded, messagesDeleted, labelsAdded, labelsRemoved].flat())
      idOf(message)
  }
}

/**
 * Net changes of messages by Gmail history records in their order (guide "Synchronize clients with
 * Gmail"). If a record lacks the labels of a message, the labels count as unknown. Stops before a
 * record that would exceed the maximum number of entries of a page.
 *
 * @throws MailApiError `unavailable` for a message without an id
 */
export function changesOfHistory(records: readonly GmailHistory[]): HistoryChanges {
  const changed = new Map<string, MessageChange>()
  const removed = new Set<string>()
  let last: string | undefined
  for (const record of records) {
    const count = changed.size + removed.size
    if (last !== undefined && count > 0 && count + sizeOf(record) > maxBulkIds)
      return { changed: [...changed.values()], removed: [...removed], cutAt: last }
    applyRecord(record, { changed, removed })
    last = record.id
  }
  return { changed: [...changed.values()], removed: [...removed] }
}

function sizeOf(record: GmailHistory): number {
  const { messagesAdded = [], messagesDeleted = [], labelsAdded = [], labelsRemoved = [] } = record
  return messagesAdded.length + messagesDeleted.length + labelsAdded.length + labelsRemoved.length
}

type Changes = { changed: Map<string, MessageChange>; removed: Set<string> }

function applyRecord(record: GmailHistory, changes: Changes): void {
  for (const { message } of record.messagesAdded ?? []) {
    const change = changeOf(message, changes)
    if (change && message?.labelIds) Object.assign(change, stateOfLabels(message.labelIds))
  }
  for (const { message, labelIds } of record.labelsAdded ?? [])
    setLabels(changeOf(message, changes), labelIds, true)
  for (const { message, labelIds } of record.labelsRemoved ?? [])
    setLabels(changeOf(message, changes), labelIds, false)
  for (const { message } of record.messagesDeleted ?? []) removeMessage(message, changes)
}

/** Change of a message that the Gmail history records do not delete. */
function changeOf(
  message: GmailMessage | undefined,
  { changed, removed }: Changes,
): MessageChange | undefined {
  const id = idOf(message)
  const { threadId } = message ?? {}
  if (removed.has(id)) return undefined
  const change = changed.get(id) ?? { id }
  if (threadId !== undefined && isApiId(threadId)) change.threadId = threadId
  changed.set(id, change)
  return change
}

function removeMessage(message: GmailMessage | undefined, { changed, removed }: Changes): void {
  const id = idOf(message)
  changed.delete(id)
  removed.add(id)
}

/**
 * Id of the message of a Gmail history record.
 * @throws MailApiError `unavailable` for a message without an id, whose change would otherwise be
 * lost
 */
function idOf({ id = '' }: Partial<GmailMessage> = {}): string {
  if (!isApiId(id)) throw incompleteResponse('The history of Gmail has a message without an id')
  return id
}

function setLabels(
  change: MessageChange | undefined,
  ids: readonly string[] | undefined,
  isAdded: boolean,
): void {
  if (change) for (const id of ids ?? []) setLabel(change, id, isAdded)
}

function setLabel(change: MessageChange, id: string, isAdded: boolean): void {
  if (!isApiId(id)) return
  const { flags, label } = changeOfLabel(id, isAdded)
  Object.assign(change, flags)
  if (label === undefined) return
  if (change.labels) change.labels = withLabel(change.labels, label, isAdded)
  else {
    change.addedLabels = withLabel(change.addedLabels ?? [], label, isAdded)
    change.removedLabels = withLabel(change.removedLabels ?? [], label, !isAdded)
  }
}

function withLabel(labels: readonly string[], label: string, isIn: boolean): string[] {
  const others = labels.filter((each) => each !== label)
  return isIn ? [...others, label] : others
}
