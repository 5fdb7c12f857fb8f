import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listTokenRecords } from '../../store/tokens.ts'
import { handle, type Route } from '../../http/route.ts'
import { describeToken } from './token-record.ts'

/** What the older address answers, which has no pages. */
const aliasSize = 1_000

/** Lists tokens, under both of its addresses. */
export function onListTokens({ db }: { db: Db }): Route[] {
  return [
    handle(
      operations.listTokens,
      async ({ query: { account, query, page = 0, pageSize = 20 } }) => {
        const { total, rows } = await listTokenRecords(db, { account, query, page, pageSize })
        const pages = Math.ceil(total / pageSize)
        return { account: account ?? null, total, page, pages, tokens: rows.map(describeToken) }
      },
    ),
    handle(operations.listTokensAlias, async ({ params: { account } }) => {
      const { rows } = await listTokenRecords(db, { account, page: 0, pageSize: aliasSize })
      return { tokens: rows.map(describeToken) }
    }),
  ]
}
