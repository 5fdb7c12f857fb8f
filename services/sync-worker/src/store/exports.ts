import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Maximum chunks of an export file that one transaction removes: about 32 MiB. */
const chunksPerBatch = 32

/**
 * Lists the ids of unfinished exports that expired because they made no progress for a long time.
 */
export async function listExpiredExports(db: Db): Promise<string[]> {
  const rows = await expiredExports(db).select('exportId').execute()
  return rows.map(({ exportId }) => exportId)
}

/**
 * Locks an export that has expired. Returns false if the export ended or made progress after
 * `listExpiredExports` returned it.
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
 * Removes some chunks of one export file that is not needed, because its export was deleted, has
 * expired, failed or was cancelled. With the last chunk, also removes the row of the export, unless
 * the API still shows the export. Skips exports that another process is removing. Returns false if
 * there is nothing to remove.
 */
export async function removeExportChunks(tx: Tx): Promise<boolean> {
  const next = await lockRemovableExport(tx)
  if (!next) return false
  // The chunks are deleted in a separate statement. The statement that locks the export's row would
  // also count chunks that another process has just removed, and would delete fewer chunks than the
  // limit, as at the end of the file.
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
  /** True for an export that the API still shows, but whose file is removed. */
  isShown: boolean
}

/**
 * Locks an export whose chunks or row have to be removed. Each part of the SQL condition has an
 * index.
 */
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

/**
 * Removes the row of an export whose chunks are removed. If the API still shows the export, only
 * stores that the export has no chunks.
 */
async function removeRecord(tx: Tx, { exportId, isShown }: RemovableExport): Promise<void> {
  await (isShown
    ? tx.updateTable('exports').set({ storedBytes: '0' }).where('exportId', '=', exportId).execute()
    : tx.deleteFrom('exports').where('exportId', '=', exportId).execute())
}

/** Drops the table partitions of past days from which all exports have been removed. */
export async function dropExportPartitions(db: Db): Promise<void> {
  await sql`select drop_export_partitions()`.execute(db)
}
