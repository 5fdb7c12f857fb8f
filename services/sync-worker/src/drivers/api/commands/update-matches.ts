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
 * Maximum number of messages that one command changes. The response contains an id, or a pair of
 * ids, for each message and takes some megabytes. If each message is in one folder (placement
 * `folder`), each message needs a separate request to the provider.
 */
const maxIds = { labels: 100_000, folder: 1_000 } as const

/** Changes flags and labels of all messages in a folder that match a search. */
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

/** Moves all messages in a folder that match a search. */
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

/** Deletes all messages in a folder that match a search, by the rules of `deleteMessage`. */
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
 * Changes all messages that match a search, in batches. All matches are listed before the first
 * change, because a changed message may not match any more, which would shift the pages of the
 * list. At the deadline, the command stops between two batches, and completed batches stay changed.
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
 * Selects the ids of changed messages from the ids of a batch. Leaves out messages that are
 * missing, and messages that the provider's response shows unchanged.
 */
function changedOf(
  ids: readonly string[],
  { missing, unchanged = [] }: BulkResult,
): readonly string[] {
  const left = new Set([...missing, ...unchanged])
  return left.size === 0 ? ids : ids.filter((id) => !left.has(id))
}
