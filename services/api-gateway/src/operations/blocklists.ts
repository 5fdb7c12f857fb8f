import { defined, operations } from '@posthorn/contracts'
import { type Db, pageCounts } from '@posthorn/db'
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
  recipientKey,
} from '../store/lists.ts'

/** Operations on blocklists. Their changes record no events: the recipient took no action. */
export function blocklistHandlers({ db }: { db: Db }): OperationHandler[] {
  return [
    handle(operations.listBlocklists, async ({ query }) => {
      const { rows, ...counts } = await listLists(db, query)
      return { ...counts, blocklists: rows }
    }),
    handle(operations.getBlocklist, async ({ params, query }) => {
      const listId = params.listId.toLowerCase()
      const total = await countBlocks(db, listId)
      if (total === undefined) throw listNotFound()
      const rows = await listBlocks(db, listId, query)
      return { listId, ...pageCounts(total, query), addresses: rows.map(describeBlock) }
    }),
    handle(operations.addToBlocklist, async ({ params: { listId }, body, caller }) => {
      const { account, recipient, reason = 'block' } = body
      await getOwner(db, account)
      const client = { remoteAddress: caller.address, userAgent: null, messageId: null }
      const block = { listId, recipient: recipientKey(recipient), account, reason, ...client }
      return { success: true, added: await insertBlock(db, { ...block, source: 'api' }) }
    }),
    handle(operations.removeFromBlocklist, async ({ params: { listId }, query }) => {
      const recipient = recipientKey(query.recipient)
      if (await deleteBlock(db, listId, recipient)) return { deleted: true }
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
