import { defined } from '@posthorn/contracts/defined'
import { MailApiError } from '../mail-api/errors.ts'
import type { FolderChange, MailApiFolders, NewFolder } from '../mail-api/folders.ts'
import type { GmailLabel } from '../provider-types/gmail.ts'
import { relabelled } from './errors.ts'
import { type NamedLabel, readLabels, toFolder, toFolders } from './labels.ts'
import { type GmailRequest, type GmailRequests, idPath } from './requests.ts'

const labelFields = 'id,name,type,labelListVisibility'

/** Lists and changes the folders of a Gmail mailbox, which are its labels. */
export function gmailFolders(requests: GmailRequests): MailApiFolders {
  return {
    async folders(signal) {
      return toFolders(await readLabels(requests, signal))
    },

    async folderCounts(id, signal) {
      const { messagesTotal = 0, messagesUnread = 0 } = await onLabel(requests, {
        operation: 'labels.get',
        path: idPath('labels', id, 'folder-missing'),
        fields: 'messagesTotal,messagesUnread',
        signal,
      })
      return { messages: messagesTotal, unseen: messagesUnread }
    },

    async createFolder({ name, parentId }: NewFolder, signal) {
      const labels = parentId === undefined ? [] : await readLabels(requests, signal)
      const parent = parentId === undefined ? undefined : labelOf(labels, parentId)
      const label = await onLabel(requests, {
        operation: 'labels.create',
        method: 'POST',
        path: '/labels',
        fields: labelFields,
        body: {
          name: parent ? `${parent.name}/${name}` : name,
          labelListVisibility: 'labelShow',
          messageListVisibility: 'show',
        },
        signal,
      })
      return toFolder(created(label), new Map(labels.map(({ id, name }) => [name, id])))
    },

    renameFolder: (id, change, signal) => renameLabel(requests, { id, change }, signal),

    async deleteFolder(id, signal) {
      await onLabel(requests, {
        operation: 'labels.delete',
        method: 'DELETE',
        path: idPath('labels', id, 'folder-missing'),
        signal,
      })
    },
  }
}

/**
 * Renames a Gmail label and the labels below it, whose prefix Gmail does not change. The label
 * itself is renamed last, so that a repeat after a failure continues with the labels below it.
 */
async function renameLabel(
  requests: GmailRequests,
  { id, change }: { id: string; change: FolderChange },
  signal: AbortSignal,
) {
  const labels = await readLabels(requests, signal)
  const label = labelOf(labels, id)
  const name = newNameOf(labels, label, change)
  const children = labels.filter((each) => each.name.startsWith(`${label.name}/`))
  const renamed = [...children, label].map((each) => ({
    ...each,
    name: `${name}${each.name.slice(label.name.length)}`,
  }))
  assertUnused(labels, renamed)
  for (const each of label.name === name ? [] : renamed)
    await onLabel(requests, {
      operation: 'labels.update',
      method: 'PATCH',
      path: idPath('labels', each.id, 'folder-missing'),
      fields: labelFields,
      body: { name: each.name },
      repeatable: true,
      signal,
    })
  const others = labels.filter((each) => !renamed.some((one) => one.id === each.id))
  const ids = new Map([...others, ...renamed].map((each) => [each.name, each.id]))
  return toFolder({ ...label, name }, ids)
}

function newNameOf(
  labels: readonly NamedLabel[],
  label: NamedLabel,
  { name, parentId }: FolderChange,
): string {
  const path = label.name.split('/')
  const own = name ?? path.at(-1) ?? ''
  if (parentId === null) return own
  if (parentId !== undefined) return `${labelOf(labels, parentId).name}/${own}`
  return [...path.slice(0, -1), own].join('/')
}

/**
 * Checks that no other label has one of the new label names, before the first request of a rename:
 * a conflict of the last request would leave a part of the labels renamed.
 */
function assertUnused(labels: readonly NamedLabel[], renamed: readonly NamedLabel[]): void {
  const names = new Set(renamed.map(({ name }) => name.toLowerCase()))
  const ids = new Set(renamed.map(({ id }) => id))
  if (labels.some(({ id, name }) => !ids.has(id) && names.has(name.toLowerCase())))
    throw new MailApiError('folder-exists', 'Label name exists or conflicts', {
      status: 400,
      passesStatus: true,
    })
}

function labelOf(labels: readonly NamedLabel[], id: string): NamedLabel {
  const label = labels.find((each) => each.id === id)
  if (label) return label
  throw new MailApiError('folder-missing', 'The label does not exist.')
}

async function onLabel(requests: GmailRequests, request: GmailRequest): Promise<GmailLabel> {
  try {
    return await requests.json<GmailLabel>(request)
  } catch (error) {
    throw relabelled(error, { 404: 'folder-missing' })
  }
}

function created({ id = '', name = '', labelListVisibility }: GmailLabel): NamedLabel {
  return defined({
    id,
    name,
    isSystem: false,
    isHidden: labelListVisibility === 'labelHide',
  })
}
