import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listLists } from '../../store/lists.ts'
import { handle } from '../../http/route.ts'

export function onListBlocklists({ db }: { db: Db }) {
  return handle(operations.listBlocklists, async ({ query: { page = 0, pageSize = 20 } }) => {
    const { total, rows } = await listLists(db, { page, pageSize })
    return { total, page, pages: Math.ceil(total / pageSize), blocklists: rows }
  })
}
