import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Maximum chunks of an export that one transaction removes: about 32 MiB. */
const chunksPerBatch = 32

/** Ids of unfinished exports that have made no progress for so long that they expired. */
export async function listExpiredExports(db: Db): Promise<string[]> {
  const rows = await expiredExports(db).select('exportId').execute()
  return rows.map(({ exportId }) => exportId)
}

/**
 * Locks an export that has expired. Returns false if the export has ended, or has made progress
 * since it was listed.
 */
export async function lockExpiredExport(tx: Tx, exportId: string): Promise<boolean> {
  const row = await expiredExports(tx)
    .select('exportId')
    .where('exportId', '=', exportId)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

function expiredExports(db: Db) {
  return db
    .selectFrom('exports')
    .where('status', 'in', ['queued', 'processing'])
    .where('account', 'is not', null)
    .where('expiresAt', '<=', sql<Date>`now()`)
}

/**
 * Removes a batch of the chunks of one export whose file is not needed, and after its last chunk
 * the row, unless the API still shows the export. Such exports were deleted, have expired, failed
 * or were cancelled. Exports that another process removes at this moment are skipped. Returns false
 * if there is nothing to remove.
 */
export async function removeExportChunks(tx: Tx): Promise<boolean> {
  // Each alternative of the condition has an index.
  const { rows } = await sql<{ exportId: string; isShown: boolean; removed: number }>`
    with next as (
      select export_id, day, account is not null and expires_at > now() as is_shown from exports
      where account is null
        or status in ('completed', 'failed', 'cancelled') and expires_at <= now()
        or status in ('failed', 'cancelled') and stored_bytes > 0
      order by export_id limit 1 for update skip locked
    ), removed as (
      delete from export_chunks c using (
        select c.day, c.export_id, c.number from next
        join export_chunks c on c.day = next.day and c.export_id = next.export_id
        order by c.number limit ${chunksPerBatch}
      ) d
      where c.day = d.day and c.export_id = d.export_id and c.number = d.number
      returning c.number
    )
    select export_id as "exportId", is_shown as "isShown",
      (select count(*)::int from removed) as removed
    from next
  `.execute(tx)
  const [next] = rows
  if (!next) return false
  if (next.removed < chunksPerBatch) await removeRecord(tx, next)
  return true
}

/** Removes the row of an export without chunks, or stores that an export has no more chunks. */
async function removeRecord(
  tx: Tx,
  { exportId, isShown }: { exportId: string; isShown: boolean },
): Promise<void> {
  await (isShown
    ? tx.updateTable('exports').set({ storedBytes: '0' }).where('exportId', '=', exportId).execute()
    : tx.deleteFrom('exports').where('exportId', '=', exportId).execute())
}

/** Drops the table partitions of past days whose exports have all been removed. */
export async function dropExportPartitions(db: Db): Promise<void> {
  await sql`select drop_export_partitions()`.execute(db)
}
