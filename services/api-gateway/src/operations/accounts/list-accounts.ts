import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listAccounts } from '../../store/accounts.ts'
import { handle } from '../../http/route.ts'
import { describeListed } from './account-record.ts'

export function onListAccounts({ db }: { db: Db }) {
  return handle(operations.listAccounts, async ({ query: asked }) => {
    const { state, query, page = 0, pageSize = 20 } = asked
    const { total, rows } = await listAccounts(db, { state, query, page, pageSize })
    return {
      total,
      page,
      pages: Math.ceil(total / pageSize),
      query: query || (false as const),
      state: state ?? '*',
      accounts: rows.map(describeListed),
    }
  })
}
