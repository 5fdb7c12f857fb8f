import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { type BlockRow, countBlocks, listBlocks, listNotFound } from '../../store/lists.ts'
import { handle } from '../../http/route.ts'

export function onGetBlocklist({ db }: { db: Db }) {
  return handle(operations.getBlocklist, async ({ params, query }) => {
    const { page = 0, pageSize = 20 } = query
    const listId = params.listId.toLowerCase()
    const total = await countBlocks(db, listId)
    if (total === undefined) throw listNotFound()
    const rows = await listBlocks(db, listId, { page, pageSize })
    return {
      listId,
      total,
      page,
      pages: Math.ceil(total / pageSize),
      addresses: rows.map(describe),
    }
  })
}

function describe({ createdAt, ...row }: BlockRow) {
  const { recipient, account, messageId, source, reason, remoteAddress, userAgent } = row
  return {
    recipient,
    account,
    ...(messageId === null ? {} : { messageId }),
    source,
    reason,
    ...(remoteAddress === null ? {} : { remoteAddress }),
    ...(userAgent === null ? {} : { userAgent }),
    created: createdAt.toISOString(),
  }
}
