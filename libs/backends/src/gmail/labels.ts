import type { MessageCategory, SpecialUse } from '@posthorn/contracts/schemas/message'
import { defined } from '@posthorn/contracts/defined'
import { incompleteResponse, MailApiError } from '../mail-api/errors.ts'
import type { ApiFolder } from '../mail-api/folders.ts'
import { isApiId } from '../mail-api/ids.ts'
import type { ApiFlags, MessageState } from '../mail-api/messages.ts'
import type { GmailLabel, GmailListLabelsResponse } from '../provider-types/gmail.ts'
import type { GmailRequests } from './requests.ts'

/**
 * Gmail label from a response whose members were checked. The id of a system label, such as INBOX,
 * equals its name.
 */
export interface NamedLabel {
  id: string
  name: string
  isSystem: boolean
  isHidden: boolean
}

const specialUses: Readonly<Record<string, SpecialUse>> = {
  INBOX: '\\Inbox',
  SENT: '\\Sent',
  DRAFT: '\\Drafts',
  SPAM: '\\Junk',
  TRASH: '\\Trash',
}

const categories: Readonly<Record<string, MessageCategory>> = {
  CATEGORY_PERSONAL: 'primary',
  CATEGORY_SOCIAL: 'social',
  CATEGORY_PROMOTIONS: 'promotions',
  CATEGORY_UPDATES: 'updates',
  CATEGORY_FORUMS: 'forums',
}

/** Labels of Gmail that stand for flags instead of folders. */
export const flagLabels = { unseen: 'UNREAD', flagged: 'STARRED' } as const
const isFlagLabel = (id: string) => id === flagLabels.unseen || id === flagLabels.flagged

/** Labels that Gmail assigns to messages and that clients cannot change (guide "Manage labels"). */
const fixedLabels = new Set(['SENT', 'DRAFT', 'CHAT'])

/**
 * Maximum bytes of Gmail's list of labels: 10,000 labels with names of 225 characters of 4 bytes.
 */
const maxListBytes = 16 * 1024 * 1024
const maxLabels = 25_000

/**
 * Reads all labels of a Gmail mailbox. Costs one quota unit. @throws MailApiError `unavailable` for
 * an incomplete list
 */
export async function readLabels(
  requests: GmailRequests,
  signal: AbortSignal,
): Promise<NamedLabel[]> {
  const { labels = [] } = await requests.json<GmailListLabelsResponse>({
    operation: 'labels.list',
    path: '/labels',
    fields: 'labels(id,name,type,labelListVisibility)',
    maxBytes: maxListBytes,
    signal,
  })
  if (labels.length > maxLabels)
    throw new MailApiError('refused', `The mailbox has more than ${maxLabels} labels.`)
  // A label list without INBOX is incomplete and is refused: each Gmail mailbox has the label
  // INBOX, and labels missing from the list would count as deleted.
  if (!labels.some(({ id }) => id === 'INBOX'))
    throw incompleteResponse('The list of labels of Gmail has no INBOX')
  return labels.flatMap((label) => toLabel(label) ?? [])
}

function toLabel({ id, name, type, labelListVisibility }: GmailLabel): NamedLabel | undefined {
  if (!id) throw incompleteResponse('The list of labels of Gmail has a label without an id')
  if (!isApiId(id)) return undefined
  return {
    id,
    name: typeof name === 'string' && name !== '' ? name : id,
    isSystem: type === 'system' || Object.hasOwn(specialUses, id) || isFlagLabel(id),
    isHidden: labelListVisibility === 'labelHide',
  }
}

/**
 * Mail folders that the labels of a Gmail mailbox stand for. Nesting is a `/` in the label name;
 * parents may be missing.
 */
export function toFolders(labels: readonly NamedLabel[]): ApiFolder[] {
  const ids = new Map(labels.map(({ id, name }) => [name, id]))
  return labels.filter(({ id }) => !isFlagLabel(id)).map((label) => toFolder(label, ids))
}

/** Folder of a Gmail label. `ids` has the ids of all labels by name. */
export function toFolder(
  { id, name, isSystem, isHidden }: NamedLabel,
  ids: ReadonlyMap<string, string>,
): ApiFolder {
  const path = isSystem ? [name] : name.split('/')
  return defined({
    id,
    path,
    parentId: ids.get(path.slice(0, -1).join('/')),
    specialUse: specialUses[id],
    category: categories[id],
    editable: !isSystem,
    assignable: !fixedLabels.has(id),
    hidden: isHidden ? (true as const) : undefined,
  })
}

/** Finds the Gmail label with an id or, without such a label, with a name. */
export function findLabel(labels: readonly NamedLabel[], text: string): NamedLabel | undefined {
  return labels.find(({ id }) => id === text) ?? labels.find(({ name }) => name === text)
}

/** Flags and labels of a Gmail message. `labelIds` is absent if the message has no labels. */
export function stateOfLabels(
  labelIds: readonly string[] = [],
): ApiFlags & Pick<MessageState, 'labels'> {
  return {
    unseen: labelIds.includes(flagLabels.unseen),
    flagged: labelIds.includes(flagLabels.flagged),
    draft: labelIds.includes('DRAFT'),
    labels: labelIds.filter((id) => isApiId(id) && !isFlagLabel(id)),
  }
}

/**
 * Change of a Gmail message's flags, and the label to report, when a label is added or removed.
 * `label` is absent for labels that only stand for a flag.
 */
export function changeOfLabel(
  id: string,
  isSet: boolean,
): { flags: Partial<ApiFlags>; label?: string } {
  if (id === flagLabels.unseen) return { flags: { unseen: isSet } }
  if (id === flagLabels.flagged) return { flags: { flagged: isSet } }
  return { flags: id === 'DRAFT' ? { draft: isSet } : {}, label: id }
}
