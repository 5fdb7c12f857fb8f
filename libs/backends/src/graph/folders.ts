import { defined } from '@posthorn/contracts/defined'
import { incompleteResponse, isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ApiFolder, FolderChange, MailApiFolders } from '../mail-api/folders.ts'
import type { GraphMailFolder } from '../provider-types/graph.ts'
import { type GraphClient, linkQuery } from './graph-client.ts'
import { entriesOf } from './list-entries.ts'
import { folderPath } from './lists.ts'
import { isId } from './message-fields.ts'
import { type SpecialFolder, specialFolders } from './special-folders.ts'

const maxFolders = 25_000
const listQuery = {
  $top: '250',
  includeHiddenFolders: 'true',
  $select: 'id,displayName,parentFolderId,childFolderCount,isHidden',
}
const missing = 'folder-missing' as const

/** Lists and changes the folders of a Graph mailbox. */
export function graphFolders(client: GraphClient): MailApiFolders {
  return {
    folders: (signal) => readTree(client, signal),
    async folderPlace(id, signal) {
      const query = { $select: 'id,displayName,parentFolderId' }
      const request = { path: folderPath(id), query, missing, signal }
      const folder = await client.json<GraphMailFolder>(request)
      const { displayName, parentFolderId } = folder
      if (!isId(folder.id)) throw incompleteResponse('The provider sent a folder without an id')
      return defined({ name: displayName ?? '', parentId: parentFolderId ?? undefined })
    },
    async folderCounts(id, signal) {
      const query = { $select: 'id,totalItemCount,unreadItemCount' }
      const folder = await client.json<GraphMailFolder>({
        path: folderPath(id),
        query,
        missing,
        signal,
      })
      const { totalItemCount: messages, unreadItemCount: unseen } = folder
      if (typeof messages === 'number' && typeof unseen === 'number') return { messages, unseen }
      throw incompleteResponse('The provider sent a folder without counts')
    },
    async createFolder({ name, parentId }, signal) {
      const path = parentId === undefined ? '/mailFolders' : `${folderPath(parentId)}/childFolders`
      const json = { displayName: name }
      const created = await client.json<GraphMailFolder>({
        method: 'POST',
        path,
        json,
        missing,
        signal,
      })
      return findFolder(client, created.id, signal)
    },
    async renameFolder(id, change, signal) {
      await assertEditable(client, id, signal)
      await changeFolder(client, { id, change }, signal)
      return findFolder(client, id, signal)
    },
    async deleteFolder(id, signal) {
      await assertEditable(client, id, signal)
      const request = { method: 'DELETE', path: folderPath(id), repeatable: true, signal } as const
      await client.response({ ...request, missing })
      // A Graph folder is deleted by two requests: the first request only moves the folder to
      // Deleted Items, where the folder would still be listed.
      await client.response({ ...request, missing }).catch((error: unknown) => {
        if (!isMailApiError(error, missing)) throw error
      })
    },
  }
}

interface Level {
  path: string
  parent?: ApiFolder
}

/** Reads the tree of Graph folders level by level. A folder in a cycle is read once. */
async function readTree(client: GraphClient, signal: AbortSignal): Promise<ApiFolder[]> {
  const special = await specialFolders(client, signal)
  const folders = new Map<string, ApiFolder>()
  const levels: Level[] = [{ path: '/mailFolders' }]
  for (let level = levels.shift(); level; level = levels.shift())
    for (const folder of await readLevel(client, level, signal)) {
      const converted = toFolder(folder, level, special)
      if (!converted || folders.has(converted.id)) continue
      if (folders.size >= maxFolders)
        throw new MailApiError('refused', 'The mailbox has too many folders')
      folders.set(converted.id, converted)
      if ((folder.childFolderCount ?? 0) > 0)
        levels.push({ path: `${folderPath(converted.id)}/childFolders`, parent: converted })
    }
  return [...folders.values()]
}

/**
 * Reads the child folders of a Graph folder. A folder that was deleted after its parent was listed
 * has no children.
 */
async function readLevel(
  client: GraphClient,
  { path, parent }: Level,
  signal: AbortSignal,
): Promise<GraphMailFolder[]> {
  const folders: GraphMailFolder[] = []
  let query: string | Record<string, string> = listQuery
  try {
    for (;;) {
      const page: { value?: GraphMailFolder[]; '@odata.nextLink'?: string } = await client.json({
        path,
        query,
        missing,
        signal,
      })
      folders.push(...entriesOf(page))
      const link = page['@odata.nextLink']
      if (link === undefined || folders.length > maxFolders) return folders
      query = linkQuery(link)
    }
  } catch (error) {
    if (parent && isMailApiError(error, missing)) return folders
    throw error
  }
}

/** Converts a Graph folder. Undefined for search folders, whose messages are in other folders. */
function toFolder(
  folder: GraphMailFolder,
  { parent }: Level,
  special: ReadonlyMap<string, SpecialFolder>,
): ApiFolder | undefined {
  const { id, displayName, isHidden } = folder
  const type: unknown = (folder as Record<string, unknown>)['@odata.type']
  if (!isId(id) || type === '#microsoft.graph.mailSearchFolder') return undefined
  return defined({
    id,
    path: [...(parent?.path ?? []), displayName ?? ''],
    parentId: parent?.id,
    specialUse: special.get(id)?.use,
    editable: !special.has(id),
    assignable: true,
    hidden: isHidden === true ? (true as const) : undefined,
  })
}

async function assertEditable(client: GraphClient, id: string, signal: AbortSignal): Promise<void> {
  const special = await specialFolders(client, signal)
  if (special.has(id)) throw new MailApiError('refused', 'The folder is one of the mail system')
}

async function changeFolder(
  client: GraphClient,
  { id, change: { name, parentId } }: { id: string; change: FolderChange },
  signal: AbortSignal,
): Promise<void> {
  const path = folderPath(id)
  const common = { repeatable: true, missing, signal } as const
  if (parentId !== undefined) {
    const json = { destinationId: parentId ?? 'msgfolderroot' }
    await client.json({ ...common, method: 'POST', path: `${path}/move`, json })
  }
  if (name !== undefined)
    await client.json({ ...common, method: 'PATCH', path, json: { displayName: name } })
}

async function findFolder(
  client: GraphClient,
  id: string | undefined,
  signal: AbortSignal,
): Promise<ApiFolder> {
  const folder = (await readTree(client, signal)).find((each) => each.id === id)
  if (!folder) throw new MailApiError(missing, 'The folder does not exist')
  return folder
}
