import type { ApiFolder } from '@posthorn/backends/mail-api'
import type { NamedFolder } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { listNamedFolders } from '../../../store/api/feeds.ts'
import { FolderNames, matchFolders } from '../events/folder-names.ts'
import type { ApiCommand } from './api-command.ts'

/** Path of the virtual mailbox that contains all messages of an account. */
export const allMessages = '\\All'

/** Returns the names of the folders and labels of the command's account. */
export async function readNames(command: ApiCommand): Promise<FolderNames> {
  const { folders } = await command.folders.get(command)
  return new FolderNames(command.api.traits.placement, folders)
}

/** Finds a folder by path, special use, or id of a label. Undefined if no such folder exists. */
export async function findFolder(
  command: ApiCommand,
  path: string,
): Promise<ApiFolder | undefined> {
  const { folders, isCached } = await command.folders.get(command)
  const [folder] = matchFolders(folders, path)
  if (folder || !isCached) return folder
  command.folders.delete(command.session)
  const [created] = matchFolders((await command.folders.get(command)).folders, path)
  return created
}

/**
 * Finds a folder by path, special use, or id of a label.
 * @throws AppError `not-found` `FolderNotFound`
 */
export async function getFolder(command: ApiCommand, path: string): Promise<ApiFolder> {
  const folder = await findFolder(command, path)
  if (folder) return folder
  throw new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
}

/**
 * Finds the folder to list or search. Undefined for the virtual mailbox of all messages.
 * @throws AppError as `getFolder`
 */
export async function getScope(command: ApiCommand, path: string): Promise<ApiFolder | undefined> {
  return isAllMessages(path) ? undefined : getFolder(command, path)
}

/**
 * Runs a request about the folder with a given path, or about all messages of the account (folder
 * undefined). If the folders are not cached, the request starts while the folders are being read,
 * with the folder that had this path at the last sync pass. If another folder has the path now, the
 * request runs again.
 *
 * @throws AppError as `getFolder`
 */
export async function inScope<T>(
  command: ApiCommand,
  path: string,
  run: (folderId: string | undefined) => Promise<T>,
): Promise<T> {
  if (isAllMessages(path)) return run(undefined)
  const expected = command.folders.has(command.session)
    ? undefined
    : matchFolders(await listStoredFolders(command), path)[0]
  if (!expected) return run((await getFolder(command, path)).id)
  const [early, current] = await Promise.allSettled([run(expected.id), getFolder(command, path)])
  if (current.status === 'rejected') throw current.reason
  if (current.value.id !== expected.id) return run(current.value.id)
  if (early.status === 'rejected') throw early.reason
  return early.value
}

async function listStoredFolders({ db, account }: ApiCommand): Promise<NamedFolder[]> {
  return (await listNamedFolders(db, account)).filter(({ former }) => !former)
}

export function isAllMessages(path: string): boolean {
  return path.toLowerCase() === allMessages.toLowerCase()
}

/**
 * Converts names of labels to labels of the provider. If labels replace folders (placement
 * `labels`), a name is a path, a special use or an id, and becomes an id. Otherwise names stay
 * unchanged.
 *
 * @throws AppError `not-found` `NotFound` for a label that does not exist
 */
export async function toLabels(command: ApiCommand, names: readonly string[]): Promise<string[]> {
  if (command.api.traits.placement === 'folder') return [...names]
  const labels: string[] = []
  for (const name of names) {
    const { folders } = await command.folders.get(command)
    const label = folders.find(({ id }) => id === name) ?? (await findFolder(command, name))
    if (!label)
      throw new AppError('not-found', `The label ${name} does not exist`, { code: 'NotFound' })
    labels.push(label.id)
  }
  return labels
}
