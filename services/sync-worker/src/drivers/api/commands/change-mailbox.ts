import type { ApiFolder } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { validationError } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import type { AccountRequest } from '../../account-driver.ts'
import type { ApiCommand, ApiWork } from './api-command.ts'
import { namesIn, pathOf } from '../events/folder-names.ts'
import { findFolder, getFolder } from './folders.ts'

/** Creates a folder at the mail provider. Also creates the missing parent folders in its path. */
export function createMailbox({ path }: AccountRequest<'createMailbox'>): ApiWork<'createMailbox'> {
  assertNames(path, 'path')
  return changesFolders(async (command) => {
    const { api, signal } = command
    const levels = levelsOf(command, path)
    const parent = await findOrCreate(command, levels.slice(0, -1))
    const folder = await api.createFolder(toNewFolder(levels.at(-1) ?? '', parent), signal)
    return { path: pathOf(folder), mailboxId: folder.id, created: true }
  })
}

/** Renames or moves a folder with its children. Mail APIs have no subscriptions. */
export function updateMailbox({
  path,
  newPath,
  subscribed,
}: AccountRequest<'updateMailbox'>): ApiWork<'updateMailbox'> {
  if (subscribed !== undefined)
    throw new AppError('invalid', 'The account has no subscriptions', {
      code: 'UnsupportedOperation',
    })
  assertNames(newPath ?? '', 'newPath')
  return changesFolders(async (command) => {
    const { api, signal } = command
    const levels = levelsOf(command, newPath ?? '')
    const folder = await getFolder(command, path)
    const parent = await findOrCreate(command, levels.slice(0, -1))
    const isMoved = folder.parentId !== parent?.id
    const change = {
      name: levels.at(-1) ?? '',
      ...(isMoved && { parentId: parent?.id ?? null }),
    }
    const renamed = await api.renameFolder(folder.id, change, signal)
    return {
      path: pathOf(folder),
      newPath: pathOf(renamed),
      mailboxId: folder.id,
      renamed: true,
    }
  })
}

/** Deletes a folder at the provider. If the folder is a label, the messages with the label stay. */
export function deleteMailbox({ path }: AccountRequest<'deleteMailbox'>): ApiWork<'deleteMailbox'> {
  return changesFolders(async (command) => {
    const folder = await getFolder(command, path)
    await command.api.deleteFolder(folder.id, command.signal)
    return { path: pathOf(folder), mailboxId: folder.id, deleted: true }
  })
}

/**
 * Runs a change of folders. Afterwards, and also if `work` failed, drops the cached folders and
 * requests a sync pass, so that commands and syncs see the changed folders.
 */
function changesFolders<T>(
  work: (command: ApiCommand) => Promise<T>,
): (command: ApiCommand) => Promise<T> {
  return async (command) => {
    try {
      return await work(command)
    } finally {
      command.folders.delete(command.session)
      command.requestPass()
    }
  }
}

/**
 * Validates the names of the folders in a path.
 *
 * @throws AppError validation error for an empty level
 */
function assertNames(path: string | readonly string[], field: string): void {
  const levels = typeof path === 'string' ? path.split('/') : path
  if (levels.length > 0 && levels.every((level) => level.trim() !== '')) return
  throw validationError([fieldError(field, 'cannot be the name of a folder')])
}

/** Splits the path of a folder into the names of its levels. An array already consists of names. */
function levelsOf({ api }: ApiCommand, path: string | readonly string[]): readonly string[] {
  return typeof path === 'string' ? namesIn(path, api.traits.placement) : path
}

/** Finds or creates the folder with this path at the provider. Undefined for the top level. */
async function findOrCreate(
  command: ApiCommand,
  levels: readonly string[],
): Promise<ApiFolder | undefined> {
  let parent: ApiFolder | undefined
  for (const [at, name] of levels.entries()) {
    const path = pathOf({ path: levels.slice(0, at + 1) })
    const existing = await findFolder(command, path)
    parent = existing ?? (await command.api.createFolder(toNewFolder(name, parent), command.signal))
  }
  return parent
}

function toNewFolder(name: string, parent: ApiFolder | undefined) {
  return defined({ name, parentId: parent?.id })
}
