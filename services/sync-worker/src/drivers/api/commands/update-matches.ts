import { type BulkResult, maxBulkIds, type MoveResult } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type { Search } from '@posthorn/contracts/schemas/search'
import type { AccountRequest } from '../../account-driver.ts'
import { updateResult } from '../../messages/flag-result.ts'
import type { ApiCommand, ApiWork } from './api-command.ts'
import { listByUse, toFlags, toLabelChange, trashPath } from './change-message.ts'
import { getScope } from './folders.ts'
import { toTerms } from './list-messages.ts'
import { getDestination, moveIds } from './move-ids.ts'

/**
 * Maximum messages that one command changes. The message ids, or pairs of ids, in a response take
 * some megabytes. With placement `folder` each message takes a request.
 */
const maxIds = { labels: 100_000, folder: 1_000 } as const

/** Changes flags and labels of all messages of a folder that match a search. */
export function updateMessages({
  path,
  search,
  update,
}: AccountRequest<'updateMessages'>): ApiWork<'updateMessages'> {
  const flags = toFlags(update)
  return async (command) => {
    const { api, signal } = command
    const change = { ...flags, ...(await toLabelChange(command, update)) }
    const emailIds: string[] = []
    await changeMatches(command, { path, search }, async (ids) => {
      emailIds.push(...changedOf(ids, await api.updateMessages(ids, change, signal)))
    })
    const isChanged = emailIds.length > 0
    return { ...updateResult(update, { flags: isChanged, labels: isChanged }), emailIds }
  }
}

/** Moves all messages of a folder that match a search. */
export function moveMessages({
  path,
  search,
  destination: target,
}: AccountRequest<'moveMessages'>): ApiWork<'moveMessages'> {
  return async (command) => {
    const destination = await getDestination(command, target)
    const source = (await getScope(command, path)) ?? (await listByUse(command, ['\\Inbox']))[0]
    const from = source?.id
    const moved = await moveMatches(command, { path, search }, (ids) =>
      moveIds(command, ids, { destination, from }),
    )
    return { path: destination.path, ...moved }
  }
}

/** Applies the rules of `deleteMessage` to all messages of a folder that match a search. */
export function deleteMessages({
  path,
  search,
  force,
}: AccountRequest<'deleteMessages'>): ApiWork<'deleteMessages'> {
  return async (command) => {
    const { api, signal } = command
    const folder = await getScope(command, path)
    const isPermanent = force || folder?.specialUse === '\\Trash'
    if (!api.traits.removes || !isPermanent) {
      const scope = { path, search }
      const moved = await moveMatches(command, scope, (ids) => api.trashMessages(ids, signal))
      return { deleted: false, moved: { destination: await trashPath(command), ...moved } }
    }
    const emailIds: string[] = []
    await changeMatches(command, { path, search }, async (ids) => {
      emailIds.push(...changedOf(ids, await api.removeMessages(ids, signal)))
    })
    return { deleted: emailIds.length > 0, deletedMessages: { emailIds } }
  }
}

interface SearchScope {
  path: string
  search: Search
}

/** Moves all messages that match a search. Returns the pairs of old and new message ids. */
async function moveMatches(
  command: ApiCommand,
  scope: SearchScope,
  move: (ids: readonly string[]) => Promise<MoveResult>,
): Promise<{ idMap: [string, string][]; emailIds: string[] }> {
  const idMap: [string, string][] = []
  await changeMatches(command, scope, async (ids) => {
    const result = await move(ids)
    for (const id of changedOf(ids, result)) idMap.push([id, result.newIds.get(id) ?? id])
  })
  return { idMap, emailIds: idMap.map(([, id]) => id) }
}

/**
 * Changes all messages that match a search, in batches. The matches are listed before, because a
 * change may end a match and shift the pages. At the deadline the change stops between two batches:
 * completed batches stay changed.
 */
async function changeMatches(
  command: ApiCommand,
  scope: SearchScope,
  change: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  const ids = await listMatches(command, scope)
  try {
    for (let from = 0; from < ids.length; from += maxBulkIds) {
      command.signal.throwIfAborted()
      await change(ids.slice(from, from + maxBulkIds))
    }
  } finally {
    command.requestPass()
  }
}

async function listMatches(
  command: ApiCommand,
  { path, search }: SearchScope,
): Promise<readonly string[]> {
  const { api, signal } = command
  const limit = maxIds[api.traits.placement]
  const folder = await getScope(command, path)
  const query = defined({ folderId: folder?.id, search: await toTerms(command, search) })
  const ids = new Set<string>()
  let pageToken: string | undefined
  do {
    signal.throwIfAborted()
    const page = await api.listIds(query, defined({ pageToken, limit: maxBulkIds }), signal)
    for (const { id } of page.entries) ids.add(id)
    pageToken = page.nextPageToken
  } while (pageToken !== undefined && ids.size < limit)
  return [...ids].slice(0, limit)
}

/**
 * Ids of changed messages: all ids except missing messages and messages that the provider shows
 * unchanged.
 */
function changedOf(
  ids: readonly string[],
  { missing, unchanged = [] }: BulkResult,
): readonly string[] {
  const left = new Set([...missing, ...unchanged])
  return left.size === 0 ? ids : ids.filter((id) => !left.has(id))
}
