import {
  type ApiFolder,
  type BulkResult,
  incompleteResponse,
  type MessageState,
  type MessageUpdate,
} from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type {
  FlagResult,
  FlagUpdate,
  MessageFlagResult,
} from '@posthorn/contracts/schemas/flag-update'
import { AppError } from '@posthorn/errors'
import { checkApiMessageId } from '@posthorn/message-id'
import type { AccountRequest } from '../../account-driver.ts'
import { updateResult } from '../../messages/flag-result.ts'
import { pathOf } from '../events/folder-names.ts'
import { messageEntry } from '../messages/entry.ts'
import { type ApiCommand, type ApiWork, requestChanges } from './api-command.ts'
import { findFolder, getFolder, isAllMessages, readNames, toLabels } from './folders.ts'
import { messageNotFound, readState } from './get-message.ts'
import { getDestination, moveIds } from './move-ids.ts'
import { untilExpected, untilSettled } from './until-settled.ts'

/**
 * Changes flags and labels of a message. The next sync pass records the events. The change counts
 * as failed if the provider shows the message without it, also in a later read.
 */
export function updateMessage({
  message,
  update,
}: AccountRequest<'updateMessage'>): ApiWork<'updateMessage'> {
  const id = checkApiMessageId(message)
  const flags = toFlags(update)
  return async (command) => {
    const { api, signal } = command
    const change = { ...flags, ...(await toLabelChange(command, update)) }
    const { unchanged = [] } = await changeOne(command, id, () =>
      api.updateMessages([id], change, signal),
    )
    const isShown = !unchanged.includes(id)
    const read = await readChanged(command, id, (state) => hasChange(state, change))
    const result = updateResult(update, { flags: isShown, labels: isShown })
    // If the provider has confirmed a change of a message, a later read of the message without the
    // change is outdated.
    if (!read || (isShown && !hasChange(read.state, change))) return result
    return withState(correct(result, { state: read.state, change }), read.entry)
  }
}

/** State of a message at the provider, and the flags and labels of the message in responses. */
interface ReadState {
  state: MessageState
  entry: { flags: string[]; labels?: string[] }
}

/** Adds the current flags and labels of the changed message to the result of the change. */
function withState(
  { flags, labels }: FlagResult,
  entry: { flags: string[]; labels?: string[] },
): MessageFlagResult {
  return {
    flags: { ...flags, result: entry.flags },
    labels: { ...labels, result: entry.labels ?? [] },
  }
}

/** Results of a flag or label change: success if the message, read later, contains the change. */
function correct(
  { flags, labels }: FlagResult,
  { state, change }: { state: MessageState; change: MessageUpdate },
): FlagResult {
  const all = (steps: object | undefined, success: boolean) =>
    steps && Object.fromEntries(Object.keys(steps).map((step) => [step, success]))
  return defined({
    flags: all(flags, hasFlags(state, change)),
    labels: all(labels, hasLabels(state, change)),
  })
}

function hasChange(state: MessageState, change: MessageUpdate): boolean {
  return hasFlags(state, change) && hasLabels(state, change)
}

function hasFlags(state: MessageState, { unseen, flagged }: MessageUpdate): boolean {
  return (
    (unseen === undefined || state.unseen === unseen) &&
    (flagged === undefined || state.flagged === flagged)
  )
}

/** True if a message has the changed labels. A label both added and removed is ignored. */
function hasLabels(
  { labels }: MessageState,
  { addLabels = [], removeLabels = [], setLabels }: MessageUpdate,
): boolean {
  const isSet = !setLabels || setLabels.every((label) => labels.includes(label))
  return (
    isSet &&
    (!setLabels || labels.every((label) => setLabels.includes(label))) &&
    addLabels.every((label) => labels.includes(label) || removeLabels.includes(label)) &&
    removeLabels.every((label) => !labels.includes(label) || addLabels.includes(label))
  )
}

/**
 * Reads the changed message until the provider returns the change, up to the delay of the
 * provider's replicas. Undefined if the message cannot be read; the change stays a success.
 */
async function readChanged(
  command: ApiCommand,
  id: string,
  isExpected: (state: MessageState) => boolean,
): Promise<ReadState | undefined> {
  try {
    const names = readNames(command)
    const read = () => readState(command, id)
    const [message] = await Promise.all([untilExpected(command, read, isExpected), names])
    return {
      state: message,
      entry: messageEntry(message, await names, await command.settings.get()),
    }
  } catch {
    return undefined
  }
}

/** Moves a message out of `source`, by default out of the folder that contains the message. */
export function moveMessage({
  message,
  path,
  source,
}: AccountRequest<'moveMessage'>): ApiWork<'moveMessage'> {
  const id = checkApiMessageId(message)
  return async (command) => {
    const destination = await getDestination(command, path)
    const from = await findSource(command, id, source)
    const { newIds } = await moveOne(command, id, () =>
      moveIds(command, [id], { destination, from }),
    )
    return { path: destination.path, id: newIds.get(id) ?? id }
  }
}

/**
 * Moves a message to the trash. With `force`, or if the message is in the trash already, deletes
 * the message permanently, unless the grant does not permit this.
 */
export function deleteMessage({
  message,
  force,
}: AccountRequest<'deleteMessage'>): ApiWork<'deleteMessage'> {
  const id = checkApiMessageId(message)
  return async (command) => {
    const { api, signal } = command
    // If the move to the trash fails, only the move is repeated, not the check whether the message
    // is in the trash. A repeated check could find the message that the move has put into the
    // trash, and the message would be deleted permanently.
    const isTrashed = untilSettled((each) => isInTrash(each, id))
    if (api.traits.removes && (force || (await isTrashed(command)))) {
      const remove = () => changeOne(command, id, () => api.removeMessages([id], signal))
      await untilSettled(remove)(command)
      return { deleted: true }
    }
    const trash = () => moveOne(command, id, () => api.trashMessages([id], signal))
    const { newIds } = await untilSettled(trash)(command)
    const destination = await trashPath(command)
    return { deleted: false, moved: { destination, message: newIds.get(id) ?? id } }
  }
}

/**
 * Changes one message. Requests a sync pass afterwards, even if the change failed.
 *
 * @throws AppError `not-found` `MessageNotFound` if the provider reports the message as missing
 */
async function changeOne<T extends BulkResult>(
  command: Pick<ApiCommand, 'api' | 'requestPass'>,
  id: string,
  change: () => Promise<T>,
): Promise<T> {
  try {
    const result = await change()
    if (result.missing.length > 0) throw messageNotFound()
    return result
  } finally {
    requestChanges(command, id)
  }
}

/**
 * Moves one message and requests a sync pass, like `changeOne`.
 *
 * @throws MailApiError `unavailable`, incomplete, if the provider shows the message as not moved
 */
async function moveOne<T extends BulkResult>(
  command: Pick<ApiCommand, 'api' | 'requestPass'>,
  id: string,
  move: () => Promise<T>,
): Promise<T> {
  const result = await changeOne(command, id, move)
  if (result.unchanged?.includes(id))
    throw incompleteResponse('The provider did not move the message, retry')
  return result
}

/**
 * Folder that a moved message leaves if labels replace folders (placement `labels`): `source`, or
 * the most specific folder of the message.
 */
async function findSource(
  command: ApiCommand,
  id: string,
  source: string | undefined,
): Promise<string | undefined> {
  if (command.api.traits.placement === 'folder') return undefined
  if (source !== undefined && !isAllMessages(source)) return (await getFolder(command, source)).id
  const { labels } = await readState(command, id)
  const folders = await listByUse(command, ['\\Trash', '\\Junk', '\\Inbox'])
  return (folders.find((folder) => labels.includes(folder.id)) ?? folders.at(-1))?.id
}

/** Lists the existing folders with some special uses, in the order of the special uses. */
export async function listByUse(
  command: ApiCommand,
  uses: readonly string[],
): Promise<ApiFolder[]> {
  const folders = await Promise.all(uses.map((use) => findFolder(command, use)))
  return folders.flatMap((folder) => folder ?? [])
}

async function isInTrash(command: ApiCommand, id: string): Promise<boolean> {
  const [trash] = await listByUse(command, ['\\Trash'])
  if (!trash) return false
  const { folderId, labels } = await readState(command, id)
  return command.api.traits.placement === 'labels'
    ? labels.includes(trash.id)
    : folderId === trash.id
}

/** Path of the trash folder, to which the provider has moved messages. */
export async function trashPath(command: ApiCommand): Promise<string> {
  const [trash] = await listByUse(command, ['\\Trash'])
  return trash ? pathOf(trash) : '\\Trash'
}

/**
 * Converts a change of flags to the form of a mail API.
 *
 * @throws AppError `invalid` `UnsupportedOperation` for flags that no mail API has
 */
export function toFlags({ flags }: FlagUpdate): MessageUpdate {
  if (!flags) return {}
  const { add = [], delete: removed = [], set } = flags
  const other = [...add, ...removed, ...(set ?? [])].find((flag) => !isKnown(flag))
  if (other !== undefined)
    throw unsupported(`The flag ${other} cannot be changed for accounts on a mail API`)
  const wanted = (name: string) => {
    if (set) return hasFlag(set, name)
    if (hasFlag(add, name)) return true
    return hasFlag(removed, name) ? false : undefined
  }
  const seen = wanted('\\Seen')
  return defined({ unseen: seen === undefined ? undefined : !seen, flagged: wanted('\\Flagged') })
}

/** True if a list of flags contains a flag. Flags are case-insensitive (RFC 9051 §2.3.2). */
export function hasFlag(flags: readonly string[], name: string): boolean {
  return flags.some((flag) => flag.toLowerCase() === name.toLowerCase())
}

function isKnown(flag: string): boolean {
  return hasFlag(['\\Seen', '\\Flagged'], flag)
}

/**
 * Converts a change of labels to the form of a mail API.
 *
 * @throws AppError `invalid` `UnsupportedOperation` for `set` if labels replace folders
 */
export async function toLabelChange(
  command: ApiCommand,
  { labels }: FlagUpdate,
): Promise<MessageUpdate> {
  if (!labels) return {}
  const { add, delete: removed, set } = labels
  if (set && command.api.traits.placement === 'labels')
    throw unsupported('The account cannot replace all labels, add and delete them instead')
  return defined({
    addLabels: add && (await toLabels(command, add)),
    removeLabels: removed && (await toLabels(command, removed)),
    setLabels: set,
  })
}

function unsupported(message: string): AppError {
  return new AppError('invalid', message, { code: 'UnsupportedOperation' })
}
