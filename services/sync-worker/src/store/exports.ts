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
  const next = await lockRemovableExport(tx)
  if (!next) return false
  // The statement that locks the row also sees chunks that another process removes meanwhile. To
  // delete these chunks in the same statement would look like the end of the export.
  const { numAffectedRows } = await sql`
    delete from export_chunks c using (
      select c.day, c.export_id, c.number from exports e
      join export_chunks c on c.day = e.day and c.export_id = e.export_id
      where e.export_id = ${next.exportId} order by c.number limit ${chunksPerBatch}
    ) d
    where c.day = d.day and c.export_id = d.export_id and c.number = d.number
  `.execute(tx)
  if (Number(numAffectedRows) < chunksPerBatch) await removeRecord(tx, next)
  return true
}

interface RemovableExport {
  exportId: string
  /** True for an export that the API still shows, without its file. */
  isShown: boolean
}

/** Locks an export with chunks or a row to remove. Each part of the condition has an index. */
async function lockRemovableExport(tx: Tx): Promise<RemovableExport | undefined> {
  const { rows } = await sql<RemovableExport>`
    select export_id as "exportId", account is not null and expires_at > now() as "isShown"
    from exports
    where account is null
      or status in ('completed', 'failed', 'cancelled') and expires_at <= now()
      or status in ('failed', 'cancelled') and stored_bytes > 0
    order by export_id limit 1 for update skip locked
  `.execute(tx)
  return rows[0]
}

/** Removes the row of an export without chunks, or stores that an export has no more chunks. */
async function removeRecord(tx: Tx, { exportId, isShown }: RemovableExport): Promise<void> {
  await (isShown
    ? tx.updateTable('exports').set({ storedBytes: '0' }).where('exportId', '=', exportId).execute()
    : tx.deleteFrom('exports').where('exportId', '=', exportId).execute())
}

/** Drops the table partitions of past days whose exports have all been removed. */
export async function dropExportPartitions(db: Db): Promise<void> {
  await sql`select drop_export_partitions()`.execute(db)
}
