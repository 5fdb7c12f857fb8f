import { type Db, type NewEvent, recordEvents } from '@posthorn/db'
import { sql } from 'kysely'
import { inTransaction } from '../transaction.ts'

/**
 * Records hits (opens and clicks) as events. Skips hits of deleted accounts and hits that were
 * already recorded.
 */
export function recordHits(db: Db, hits: readonly NewEvent[], serviceUrl: string | null) {
  return inTransaction(db, async (tx) => {
    const accounts = [...new Set(hits.map(({ account }) => account))]
    const rows = await tx
      .selectFrom('accounts')
      .select('account')
      .where('account', '=', sql<string>`any(${accounts})`)
      .execute()
    const existing = new Set(rows.map(({ account }) => account))
    return recordEvents(
      tx,
      hits.filter(({ account }) => existing.has(account)),
      serviceUrl,
    )
  })
}
