import type { Db, Exports, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Selectable, sql, type Transaction, type UpdateObject } from 'kysely'

const unfinished = ['queued', 'processing'] as const

/** Lists the unfinished exports of messages whose accounts are in some shards, oldest first. */
export async function listUnfinishedExports(
  db: Db,
  shards: readonly number[],
): Promise<{ exportId: string; account: string; shard: number }[]> {
  if (shards.length === 0) return []
  const rows = await db
    .selectFrom('exports')
    .select(['exportId', 'account', 'shard'])
    .where('status', 'in', unfinished)
    .where(sql<boolean>`shard = any(${[...shards]}::smallint[])`)
    .where('account', 'is not', null)
    .orderBy('createdAt')
    .execute()
  return rows.flatMap(({ account, ...row }) => (account === null ? [] : [{ ...row, account }]))
}

const columns = [
  'exportId',
  'phase',
  'folders',
  'startDate',
  'endDate',
  'textType',
  'maxBytes',
  'includeAttachments',
  'messagesQueued',
  'messagesExported',
  'messagesSkipped',
  'bytesWritten',
  'chunks',
  'position',
] as const

/** Columns of an export that the worker needs to run the export. */
export type ExportRow = Pick<Selectable<Exports>, (typeof columns)[number]>

/**
 * Marks an export as `processing` and returns its row.
 *
 * @throws AppError `stale` if the export has ended
 */
export async function startExport(tx: Tx, exportId: string): Promise<ExportRow> {
  const row = await updateExport(tx, exportId, {
    status: 'processing',
    phase: sql<'indexing'>`case phase when 'pending' then 'indexing' else phase end`,
    startedAt: sql<Date>`coalesce(started_at, now())`,
  })
    .returning(columns)
    .executeTakeFirst()
  return row ?? endedError(exportId)
}

type Tables = Tx extends Transaction<infer T> ? T : never

function updateExport(tx: Tx, exportId: string, set: UpdateObject<Tables, 'exports'>) {
  return tx
    .updateTable('exports')
    .set(set)
    .where('exportId', '=', exportId)
    .where('status', 'in', unfinished)
    .where('account', 'is not', null)
}

/** Progress of an export to store. Stored values of absent members stay unchanged. */
export interface ExportUpdate {
  /** Time without further progress after which the export expires, in milliseconds. */
  maxAgeMs: number
  /** Position at which a worker continues the export; see `exports/position.ts`. */
  position?: object
  phase?: 'indexing' | 'exporting'
  foldersScanned?: number
  foldersTotal?: number
  messagesQueued?: number
  messagesExported?: number
  messagesSkipped?: number
  estimatedEnd?: Date | null
}

/**
 * Stores the progress of an export. Requires the account's lease.
 *
 * @throws AppError `stale` if the export has ended; nothing must be stored then
 */
export async function saveProgress(
  tx: Tx,
  exportId: string,
  { position, maxAgeMs, ...progress }: ExportUpdate,
): Promise<void> {
  const row = await updateExport(tx, exportId, {
    ...progress,
    ...(position && { position: JSON.stringify(position) }),
    unavailableSince: null,
    expiresAt: sql<Date>`now() + make_interval(secs => ${maxAgeMs / 1000})`,
  })
    .returning('exportId')
    .executeTakeFirst()
  if (!row) endedError(exportId)
}

/**
 * Records that the mail server of an export cannot be used. Returns the milliseconds from the first
 * such record after the export's last progress.
 */
export async function saveUnavailable(tx: Tx, exportId: string): Promise<number> {
  const row = await updateExport(tx, exportId, {
    unavailableSince: sql<Date>`coalesce(unavailable_since, now())`,
  })
    .returning(sql<number>`extract(epoch from now() - unavailable_since)::float8 * 1000`.as('ms'))
    .executeTakeFirst()
  return row?.ms ?? endedError(exportId)
}

/** Position in the file of an export: number of chunks and bytes before the position. */
export interface FilePosition {
  /** Number of chunks of the export file before the position. */
  chunks: number
  bytes: number
}

/** Removes the chunks of an export file that follow a position. Requires the account's lease. */
export async function rewindFile(
  tx: Tx,
  exportId: string,
  { chunks, bytes }: FilePosition,
): Promise<void> {
  const { rows } = await sql<{ size: string }>`
    delete from export_chunks c using exports e
    where e.export_id = ${exportId} and c.day = e.day and c.export_id = e.export_id
      and c.number >= ${chunks}::integer
    returning length(c.content) as size
  `.execute(tx)
  const removed = rows.reduce((sum, { size }) => sum + Number(size), 0)
  const row = await updateExport(tx, exportId, {
    chunks,
    bytesWritten: String(bytes),
    storedBytes: sql<string>`stored_bytes - ${removed}::bigint`,
  })
    .returning('exportId')
    .executeTakeFirst()
  if (!row) endedError(exportId)
}

/** Sum of the stored bytes of all export files. */
export async function sumStoredBytes(db: Db): Promise<number> {
  const row = await db
    .selectFrom('exports')
    .select((from) => from.fn.sum<string | null>('storedBytes').as('bytes'))
    .where(sql<boolean>`stored_bytes > 0`)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

/** Fails a change of an export that has ended. @throws AppError `stale` */
export function endedError(exportId: string): never {
  throw new AppError('stale', `Export "${exportId}" has ended`)
}
