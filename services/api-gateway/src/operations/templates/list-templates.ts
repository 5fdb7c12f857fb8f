import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { getOwner } from '../../store/accounts.ts'
import { listTemplates } from '../../store/templates.ts'
import { handle } from '../../http/route.ts'
import { describeListed } from './template-record.ts'

export function onListTemplates({ db }: { db: Db }) {
  return handle(operations.listTemplates, async ({ query }) => {
    const { account = null, page = 0, pageSize = 20 } = query
    if (account !== null) await getOwner(db, account)
    const { total, rows } = await listTemplates(db, { account, page, pageSize })
    const pages = Math.ceil(total / pageSize)
    return { account, total, page, pages, templates: rows.map(describeListed) }
  })
}
