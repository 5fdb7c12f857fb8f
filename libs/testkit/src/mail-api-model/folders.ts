import {
  type ApiFolder,
  type FolderChange,
  type FolderCounts,
  MailApiError,
  type NewFolder,
} from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type { Placement, ModelStore } from './store.ts'

type SystemFolder = Pick<ApiFolder, 'id' | 'specialUse' | 'category'> & { fixed?: true }

const labelFolders: SystemFolder[] = [
  { id: 'INBOX', specialUse: '\\Inbox' },
  { id: 'SENT', specialUse: '\\Sent', fixed: true },
  { id: 'DRAFT', specialUse: '\\Drafts', fixed: true },
  { id: 'SPAM', specialUse: '\\Junk' },
  { id: 'TRASH', specialUse: '\\Trash' },
  { id: 'CATEGORY_SOCIAL', category: 'social' },
]

const graphFolders: [name: string, specialUse: NonNullable<ApiFolder['specialUse']>][] = [
  ['Posteingang', '\\Inbox'],
  ['Gesendete Elemente', '\\Sent'],
  ['Entwürfe', '\\Drafts'],
  ['Junk-E-Mail', '\\Junk'],
  ['Gelöschte Elemente', '\\Trash'],
]

/**
 * Adds to a model mailbox the folders that exist in every mailbox with labels or in every mailbox
 * with folders (`placement`).
 */
export function addSystemFolders(store: ModelStore): void {
  const folders: ApiFolder[] =
    store.placement === 'labels'
      ? labelFolders.map(({ fixed, ...folder }) => ({
          ...folder,
          path: [folder.id],
          editable: false,
          assignable: !fixed,
        }))
      : graphFolders.map(([name, specialUse]) => ({
          id: folderId(store, 'folder'),
          path: [name],
          specialUse,
          editable: false,
          assignable: true,
        }))
  for (const folder of folders) store.addFolder(folder)
}

export function createFolder(store: ModelStore, { name, parentId }: NewFolder): ApiFolder {
  const parent = parentId === undefined ? undefined : store.getFolder(parentId)
  const path = [...(parent?.path ?? []), name]
  assertUnused(store, path)
  return store.addFolder(
    defined({
      id: folderId(store, store.placement),
      path,
      parentId,
      editable: true,
      assignable: true,
    }),
  )
}

export function renameFolder(
  store: ModelStore,
  folder: ApiFolder,
  { name, parentId }: FolderChange,
): ApiFolder {
  assertEditable(folder)
  const parent = parentId === undefined ? folder.parentId : (parentId ?? undefined)
  const above = parent === undefined ? [] : store.getFolder(parent).path
  const path = [...above, name ?? folder.path.at(-1) ?? '']
  if (path.join('/').toLowerCase() !== folder.path.join('/').toLowerCase())
    assertUnused(store, path)
  const { parentId: _, ...rest } = folder
  const renamed: ApiFolder = defined({ ...rest, path, parentId: parent })
  for (const child of childrenOf(store, folder))
    store.folders.set(child.id, {
      ...child,
      path: [...path, ...child.path.slice(folder.path.length)],
    })
  store.folders.set(folder.id, renamed)
  return renamed
}

export function deleteFolder(store: ModelStore, folder: ApiFolder): void {
  assertEditable(folder)
  if (store.placement === 'folder')
    for (const child of childrenOf(store, folder)) store.removeFolder(child.id)
  store.removeFolder(folder.id)
}

export function countMessages(store: ModelStore, id: string): FolderCounts {
  const messages = store.list(store.getFolder(id).id)
  return {
    messages: messages.length,
    unseen: messages.filter(({ flags }) => flags.unseen).length,
  }
}

function folderId({ random }: ModelStore, placement: Placement): string {
  return placement === 'labels'
    ? `Label_${random.text(17, '123456789')}`
    : `AQMk${random.text(115, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678-_')}=`
}

function childrenOf(store: ModelStore, { path }: ApiFolder): ApiFolder[] {
  return [...store.folders.values()].filter(
    (other) =>
      other.path.length > path.length && path.every((level, index) => other.path[index] === level),
  )
}

function assertUnused(store: ModelStore, path: readonly string[]): void {
  const name = path.join('\n').toLowerCase()
  if ([...store.folders.values()].some((each) => each.path.join('\n').toLowerCase() === name))
    throw new MailApiError('folder-exists', 'A folder with the specified name already exists.')
}

function assertEditable({ editable }: ApiFolder): void {
  if (!editable) throw new MailApiError('refused', 'The folder cannot be changed.', { status: 400 })
}
