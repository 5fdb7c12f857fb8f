import type { ApiFolder, MoveResult } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { pathOf } from '../events/folder-names.ts'
import type { ApiCommand } from './api-command.ts'
import { allMessages, findFolder, getFolder, isAllMessages } from './folders.ts'

/** Destination of a move: a folder, or the archive, which is no folder for accounts with labels. */
export interface Destination {
  folder?: ApiFolder
  path: string
}

/**
 * Finds the destination of a move of messages. If labels replace folders (placement `labels`), a
 * message is archived by removing it from all folders.
 *
 * @throws AppError `not-found` `FolderNotFound`
 */
export async function getDestination(command: ApiCommand, path: string): Promise<Destination> {
  const hasArchive = command.api.traits.placement === 'labels'
  if (hasArchive && isAllMessages(path)) return { path: allMessages }
  const isArchive = hasArchive && path.toLowerCase() === '\\archive'
  if (isArchive && !(await findFolder(command, path))) return { path: allMessages }
  const folder = await getFolder(command, path)
  return { folder, path: pathOf(folder) }
}

/**
 * Moves messages to a folder. If labels replace folders (placement `labels`), `from` is the folder
 * that the messages leave.
 */
export async function moveIds(
  { api, signal }: Pick<ApiCommand, 'api' | 'signal'>,
  ids: readonly string[],
  { destination: { folder }, from }: { destination: Destination; from: string | undefined },
): Promise<MoveResult> {
  if (folder) return api.moveMessages(ids, defined({ to: folder.id, from }), signal)
  const removeLabels = from === undefined ? [] : [from]
  return { ...(await api.updateMessages(ids, { removeLabels }, signal)), newIds: new Map() }
}
