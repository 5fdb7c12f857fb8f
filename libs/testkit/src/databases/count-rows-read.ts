import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Counts the rows of a table that the current transaction has read so far, by sequential and by
 * index scans.
 */
export async function countRowsRead(tx: Tx, table: string): Promise<number> {
  const { rows } = await sql<{ read: string }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables
    where relname = ${table}
  `.execute(tx)
  return Number(rows[0]?.read)
}
