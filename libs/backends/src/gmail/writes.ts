import { defined } from '@posthorn/contracts/defined'
import { backoff, sleep } from '@posthorn/flow'
import { incompleteResponse, isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type {
  AppendTarget,
  BulkResult,
  MailApiWrites,
  MessageUpdate,
  MoveTarget,
} from '../mail-api/writes.ts'
import type { GmailDraft, GmailMessage } from '../provider-types/gmail.ts'
import { refusal } from './errors.ts'
import { findLabel, flagLabels, type NamedLabel, readLabels, toFolder } from './labels.ts'
import { isGmailId, messagePath } from './messages/message-path.ts'
import type { GmailRequests } from './requests.ts'
import { type MessageUpload, uploadMessage } from './uploads.ts'

/**
 * Maximum messages whose labels are changed with one Gmail request per message. Up to this number,
 * single requests cost no more than `batchModify`, and they report missing messages.
 */
const maxSingle = 10
/** Maximum number of requests for a change of labels that the response of Gmail does not show. */
const maxConfirmations = 3
const repeatDelayMs = backoff({ baseMs: 250, maxMs: 1_000, jitter: 0.3 })
/** Largest message that Gmail stores (discovery document, `messages.insert`). */
const maxInsertBytes = 52_428_800

interface LabelChange {
  addLabelIds: string[]
  removeLabelIds: string[]
}

/**
 * Changes messages of Gmail by changing labels. Messages are never deleted permanently: that needs
 * a wider scope.
 */
export function gmailWrites(requests: GmailRequests): MailApiWrites {
  return {
    async updateMessages(ids, update, signal) {
      return modify(requests, ids, { ...(await changeOf(requests, update, signal)), signal })
    },

    async moveMessages(ids, { to, from }: MoveTarget, signal) {
      if (from === undefined)
        throw new MailApiError('unsupported-operation', 'The label to remove must be specified.')
      const labels = await readLabels(requests, signal)
      const [target, source] = [folderLabel(labels, to), folderLabel(labels, from)]
      const change = { addLabelIds: [target.id], removeLabelIds: [source.id] }
      for (const label of [target, source]) assertAssignable(label)
      return { ...(await modify(requests, ids, { ...change, signal })), newIds: new Map() }
    },

    async trashMessages(ids, signal) {
      const change = { addLabelIds: ['TRASH'], removeLabelIds: ['INBOX', 'SPAM'] }
      return { ...(await modify(requests, ids, { ...change, signal })), newIds: new Map() }
    },

    async removeMessages() {
      throw new MailApiError('unsupported-operation', 'Gmail messages are moved to the trash.')
    },

    appendMessage: (content, target, signal) => append(requests, { content, target }, signal),
  }
}

async function changeOf(
  requests: GmailRequests,
  { unseen, flagged, addLabels = [], removeLabels = [], setLabels }: MessageUpdate,
  signal: AbortSignal,
): Promise<LabelChange> {
  if (setLabels) throw new MailApiError('unsupported-operation', 'Gmail cannot replace all labels.')
  const names = [...addLabels, ...removeLabels]
  const labels = names.length > 0 ? await readLabels(requests, signal) : []
  const idsOf = (texts: readonly string[]) => texts.map((text) => assignableId(labels, text))
  const flags = [
    [flagLabels.unseen, unseen],
    [flagLabels.flagged, flagged],
  ] as const
  const flagsTo = (value: boolean) => flags.flatMap(([id, set]) => (set === value ? id : []))
  return {
    addLabelIds: [...flagsTo(true), ...idsOf(addLabels)],
    removeLabelIds: [...flagsTo(false), ...idsOf(removeLabels)],
  }
}

function assignableId(labels: readonly NamedLabel[], text: string): string {
  const label = findLabel(labels, text)
  if (!label)
    throw new MailApiError('label-missing', `The label ${text.slice(0, 200)} does not exist.`)
  assertAssignable(label)
  return label.id
}

function folderLabel(labels: readonly NamedLabel[], id: string): NamedLabel {
  const label = labels.find((each) => each.id === id)
  if (label) return label
  throw new MailApiError('folder-missing', 'The label does not exist.')
}

/** Rejects labels that clients cannot assign to messages, with the error text of Gmail. */
function assertAssignable(label: NamedLabel): void {
  if (!toFolder(label, new Map()).assignable) throw refusal(`Invalid label: ${label.id}`)
}

/** Changes labels of Gmail messages. A repeat has no effect. */
async function modify(
  requests: GmailRequests,
  ids: readonly string[],
  { signal, ...change }: LabelChange & { signal: AbortSignal },
): Promise<BulkResult> {
  const unknown = ids.filter((id) => !isGmailId(id))
  const usable = ids.filter(isGmailId)
  const isEmpty = change.addLabelIds.length + change.removeLabelIds.length === 0
  if (isEmpty || usable.length === 0) return { missing: unknown }
  if (usable.length > maxSingle && (await modifyAll(requests, usable, { ...change, signal })))
    return { missing: unknown }
  const outcomes: Outcome[] = []
  for (let from = 0; from < usable.length; from += maxSingle) {
    const some = usable.slice(from, from + maxSingle)
    outcomes.push(
      ...(await Promise.all(some.map((id) => modifyOne(requests, id, { ...change, signal })))),
    )
  }
  const idsOf = (outcome: Outcome) => usable.filter((_, index) => outcomes[index] === outcome)
  const unchanged = idsOf('unchanged')
  return {
    missing: [...unknown, ...idsOf('missing')],
    ...(unchanged.length > 0 && { unchanged }),
  }
}

type Outcome = 'changed' | 'unchanged' | 'missing'

/**
 * Changes labels of many messages in one request. Returns false if Gmail refused the request
 * because a message is missing. Usually Gmail ignores missing messages.
 */
async function modifyAll(
  requests: GmailRequests,
  ids: readonly string[],
  { signal, ...change }: LabelChange & { signal: AbortSignal },
): Promise<boolean> {
  return isPresent(
    requests.json({
      operation: 'messages.batchModify',
      method: 'POST',
      path: '/messages/batchModify',
      body: { ids, ...change },
      repeatable: true,
      signal,
    }),
  )
}

/**
 * Changes the labels of one Gmail message. Repeats the request while the labels in the response do
 * not show the change.
 */
async function modifyOne(
  requests: GmailRequests,
  id: string,
  { signal, ...change }: LabelChange & { signal: AbortSignal },
): Promise<Outcome> {
  const delayOf = requests.delayMs ?? repeatDelayMs
  for (let attempt = 1; ; attempt++) {
    let labels: readonly string[] = []
    const send = async () => {
      labels = await changedLabels(
        requests.json<GmailMessage>({
          operation: 'messages.modify',
          method: 'POST',
          path: `${messagePath(id)}/modify`,
          fields: 'id,labelIds',
          body: change,
          repeatable: true,
          signal,
        }),
      )
    }
    if (!(await isPresent(send()))) return 'missing'
    if (hasChange(labels, change)) return 'changed'
    if (attempt >= maxConfirmations) return 'unchanged'
    await sleep(delayOf(attempt), signal)
  }
}

/**
 * Labels of a Gmail message after a change: `labelIds` is absent if the message has no label.
 *
 * @throws MailApiError `unavailable` if the response does not name the changed message
 */
async function changedLabels(response: Promise<Partial<GmailMessage>>): Promise<readonly string[]> {
  const { id, labelIds } = await response
  if (typeof id !== 'string' || id === '')
    throw incompleteResponse('The response of Gmail does not confirm the change')
  return Array.isArray(labelIds) ? labelIds : []
}

/**
 * True if the labels of a Gmail message include all added labels and no removed label. A label that
 * is both added and removed is not checked.
 */
function hasChange(
  labels: readonly string[],
  { addLabelIds, removeLabelIds }: LabelChange,
): boolean {
  return (
    addLabelIds.every((id) => labels.includes(id) || removeLabelIds.includes(id)) &&
    removeLabelIds.every((id) => !labels.includes(id) || addLabelIds.includes(id))
  )
}

/** False if Gmail refused a request because a message is missing. */
async function isPresent(response: Promise<unknown>): Promise<boolean> {
  try {
    await response
    return true
  } catch (error) {
    if (isMailApiError(error, 'message-missing')) return false
    throw error
  }
}

async function append(
  requests: GmailRequests,
  { content, target }: { content: Uint8Array; target: AppendTarget },
  signal: AbortSignal,
): Promise<{ id: string; threadId?: string }> {
  if (content.length > maxInsertBytes)
    throw new MailApiError('too-large', 'The message exceeds 50 MiB.')
  const { folderId, unseen, flagged, draft, labels: names = [], receivedAt } = target
  const labels = await readLabels(requests, signal)
  const folder = folderLabel(labels, folderId)
  const labelIds = [
    ...names.map((text) => assignableId(labels, text)),
    ...(unseen ? [flagLabels.unseen] : []),
    ...(flagged ? [flagLabels.flagged] : []),
  ]
  if (draft || folder.id === 'DRAFT')
    return appendDraft(requests, { content, labelIds: [...labelIds, folder.id] }, signal)
  const upload: MessageUpload = {
    operation: 'messages.insert',
    path: '/messages',
    content,
    labelIds: [...new Set([folder.id, ...labelIds])],
    // Gmail can take the arrival time of an uploaded message only from the Date header or from the
    // clock.
    query: { internalDateSource: receivedAt ? 'dateHeader' : 'receivedTime' },
    fields: 'id,threadId',
    signal,
  }
  return storedMessage(await uploadMessage<GmailMessage>(requests, upload))
}

/**
 * Uploads a draft to Gmail, then adds its other labels. The label DRAFT cannot be assigned to an
 * uploaded message.
 */
async function appendDraft(
  requests: GmailRequests,
  { content, labelIds }: { content: Uint8Array; labelIds: readonly string[] },
  signal: AbortSignal,
): Promise<{ id: string; threadId?: string }> {
  const { message } = await uploadMessage<GmailDraft>(requests, {
    operation: 'drafts.create',
    path: '/drafts',
    content,
    fields: 'id,message(id,threadId)',
    signal,
  })
  const stored = storedMessage(message ?? {})
  const addLabelIds = labelIds.filter((id) => id !== 'DRAFT')
  await modify(requests, [stored.id], { addLabelIds, removeLabelIds: [], signal })
  return stored
}

function storedMessage({ id, threadId }: Partial<GmailMessage>): { id: string; threadId?: string } {
  if (typeof id === 'string' && isGmailId(id)) return defined({ id, threadId })
  throw new MailApiError('unavailable', 'The response has no message id')
}
