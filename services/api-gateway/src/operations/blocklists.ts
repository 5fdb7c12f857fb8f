import { operations } from '@posthorn/contracts/operations'
import { type Db, pageCounts } from '@posthorn/db'
import { handle, type OperationHandler } from '../http/handle.ts'
import { getOwner } from '../store/accounts/accounts.ts'
import {
  type BlockRow,
  countBlocks,
  deleteBlocks,
  insertBlock,
  listBlocks,
  listLists,
} from '../store/lists/lists.ts'
import { present } from './present.ts'

/**
 * Operations on blocklists. Changes by the API record no events, because events report actions of
 * recipients.
 */
export function blocklistHandlers({ db }: { db: Db }): OperationHandler[] {
  return [
    handle(operations.listBlocklists, async ({ query }) => {
      const { rows, ...counts } = await listLists(db, query)
      return { ...counts, blocklists: rows }
    }),
    handle(operations.getBlocklist, async ({ params, query }) => {
      const listId = params.listId.toLowerCase()
      const total = await countBlocks(db, listId)
      const rows = await listBlocks(db, listId, query)
      return { listId, ...pageCounts(total, query), addresses: rows.map(describeBlock) }
    }),
    handle(operations.addToBlocklist, async ({ params: { listId }, body, caller }) => {
      const { account, recipient, reason = 'block' } = body
      await getOwner(db, account)
      const block = { listId, recipient, account, reason }
      const origin = { source: 'api', remoteAddress: caller.address } as const
      return { success: true, added: await insertBlock(db, { ...block, ...origin }) }
    }),
    handle(operations.removeFromBlocklist, async ({ params: { listId }, query }) => {
      if (await deleteBlocks(db, listId, query.recipient)) return { deleted: true }
      // Throws `not-found` if a blocklist does not exist.
      await countBlocks(db, listId)
      return { deleted: false }
    }),
  ]
}

function describeBlock({ createdAt, ...row }: BlockRow) {
  return { ...present(row), created: createdAt.toISOString() }
}
