import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { countBlocks, deleteBlock, listNotFound } from '../../store/lists.ts'
import { handle } from '../../http/route.ts'

export function onRemoveFromBlocklist({ db }: { db: Db }) {
  return handle(operations.removeFromBlocklist, async ({ params: { listId }, query }) => {
    if (await deleteBlock(db, listId, query.recipient)) return { deleted: true }
    if ((await countBlocks(db, listId)) === undefined) throw listNotFound()
    return { deleted: false }
  })
}
