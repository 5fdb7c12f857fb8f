import { defined, operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { handle, type OperationHandler } from '../http/handle.ts'
import { getOwner } from '../store/accounts.ts'
import {
  type BlockRow,
  countBlocks,
  deleteBlock,
  insertBlock,
  listBlocks,
  listLists,
  listNotFound,
} from '../store/lists.ts'

/** Operations on blocklists. Their changes record no events: the recipient took no action. */
export function blocklistHandlers({ db }: { db: Db }): OperationHandler[] {
  return [
    handle(operations.listBlocklists, async ({ query: { page = 0, pageSize = 20 } }) => {
      const { total, rows } = await listLists(db, { page, pageSize })
      return { total, page, pages: Math.ceil(total / pageSize), blocklists: rows }
    }),
    handle(operations.getBlocklist, async ({ params, query: { page = 0, pageSize = 20 } }) => {
      const listId = params.listId.toLowerCase()
      const total = await countBlocks(db, listId)
      if (total === undefined) throw listNotFound()
      const rows = await listBlocks(db, listId, { page, pageSize })
      const pages = Math.ceil(total / pageSize)
      return { listId, total, page, pages, addresses: rows.map(describeBlock) }
    }),
    handle(operations.addToBlocklist, async ({ params: { listId }, body, caller }) => {
      const { account, recipient, reason = 'block' } = body
      await getOwner(db, account)
      const block = { listId, recipient, account, reason, source: 'api', messageId: null } as const
      const client = { remoteAddress: caller.address, userAgent: null }
      return { success: true, added: await insertBlock(db, { ...block, ...client }) }
    }),
    handle(operations.removeFromBlocklist, async ({ params: { listId }, query }) => {
      if (await deleteBlock(db, listId, query.recipient)) return { deleted: true }
      if ((await countBlocks(db, listId)) === undefined) throw listNotFound()
      return { deleted: false }
    }),
  ]
}

function describeBlock({ messageId, remoteAddress, userAgent, createdAt, ...row }: BlockRow) {
  const { recipient, account, source, reason } = row
  return defined({
    recipient,
    account,
    messageId: messageId ?? undefined,
    source,
    reason,
    remoteAddress: remoteAddress ?? undefined,
    userAgent: userAgent ?? undefined,
    created: createdAt.toISOString(),
  })
}
