import type { SpecialUse } from '@posthorn/contracts/schemas/message'
import { incompleteResponse } from '../mail-api/errors.ts'
import type { MailApiAccess } from '../mail-api/access.ts'
import type { GraphMailFolder } from '../provider-types/graph.ts'
import { type BatchPart, sendAll } from './batch.ts'
import type { GraphClient } from './graph-client.ts'
import { isId } from './message-fields.ts'

/**
 * Well-known names of Graph folders that cannot be renamed or deleted. Display names of these
 * folders are localized.
 */
const specialUses: Readonly<Record<string, SpecialUse | undefined>> = {
  inbox: '\\Inbox',
  drafts: '\\Drafts',
  sentitems: '\\Sent',
  deleteditems: '\\Trash',
  junkemail: '\\Junk',
  archive: '\\Archive',
  outbox: undefined,
  conversationhistory: undefined,
  syncissues: undefined,
}

export interface SpecialFolder {
  id: string
  use?: SpecialUse
}

/**
 * Cache of the ids of Graph folders by well-known name, per access to a mailbox. The ids do not
 * change.
 */
const cached = new WeakMap<MailApiAccess, Map<string, string>>()

/**
 * Special folders of a Graph mailbox by id. A well-known name without a folder is requested again
 * by each call, because the archive folder is created when it is first used.
 */
export async function specialFolders(
  client: GraphClient,
  signal: AbortSignal,
): Promise<Map<string, SpecialFolder>> {
  const ids = cached.get(client.access) ?? new Map<string, string>()
  cached.set(client.access, ids)
  const unknown = Object.keys(specialUses).filter((name) => !ids.has(name))
  const parts = unknown.map((name): BatchPart => ({
    path: `/mailFolders/${name}`,
    query: { $select: 'id' },
  }))
  const results = await sendAll<GraphMailFolder>(client, parts, signal)
  for (const [index, result] of results.entries())
    if ('body' in result) {
      if (!isId(result.body.id))
        throw incompleteResponse('The provider sent a folder without an id')
      ids.set(unknown[index] ?? '', result.body.id)
    } else if (!isMissing(result.error.failure)) throw result.error
  return new Map(
    [...ids].map(([name, id]) => {
      const use = specialUses[name]
      return [id, use === undefined ? { id } : { id, use }]
    }),
  )
}

function isMissing(failure: string): boolean {
  return failure === 'message-missing' || failure === 'folder-missing'
}
