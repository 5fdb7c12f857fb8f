import type { ExportStatus } from '@posthorn/contracts/schemas/export'
import { type Db, type Page, type PageRequest, readPage } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type RawBuilder, sql } from 'kysely'
import { hasChunks, isUnfinished, storedBytesSum } from './exports.ts'

/**
 * SQL condition: true for an export that the API shows, because it is unfinished or has not
 * expired.
 */
const isVisible = sql<boolean>`(${isUnfinished} or exports.expires_at > now())`

/** Columns of an export that are read for the API. */
const columns = [
  'exports.exportId',
  'exports.status',
  'exports.phase',
  'exports.folders',
  'exports.startDate',
  'exports.endDate',
  'exports.foldersScanned',
  'exports.foldersTotal',
  'exports.messagesQueued',
  'exports.messagesExported',
  'exports.messagesSkipped',
  'exports.bytesWritten',
  'exports.truncated',
  'exports.error',
  'exports.errorCode',
  'exports.createdAt',
  'exports.expiresAt',
  'exports.estimatedEnd',
] as const

/** SQL query of those exports of an account that the API shows. */
function exportsOf(db: Db, account: string) {
  return db.selectFrom('exports').where('exports.account', '=', account).where(isVisible)
}

/** One page of the exports of an account, newest first. */
export function listExports(db: Db, account: string, page: PageRequest): Promise<Page<ExportRow>> {
  const query = exportsOf(db, account)
    .select(columns)
    .orderBy('createdAt', 'desc')
    .orderBy('exportId', 'desc')
  return readPage(query, page)
}

/** Gets an export of an account's messages. @throws AppError `not-found` */
export function getExport(db: Db, account: string, exportId: string) {
  return exportsOf(db, account)
    .select(columns)
    .where('exportId', '=', exportId)
    .executeTakeFirstOrThrow(exportNotFound)
}
export type ExportRow = Awaited<ReturnType<typeof getExport>>

export function exportNotFound(): AppError {
  return new AppError('not-found', 'Export not found', { code: 'NotFound' })
}

/**
 * Cancels an unfinished export, or deletes an ended export: an export without an account is no
 * longer shown, and sync-worker removes its chunks and its row.
 *
 * @throws AppError `not-found`
 */
export async function endOrDeleteExport(db: Db, account: string, exportId: string): Promise<void> {
  const ended = <T>(unfinished: RawBuilder<T>, other: RawBuilder<T>) =>
    sql<T>`case when ${isUnfinished} then ${unfinished} else ${other} end`
  await db
    .updateTable('exports')
    .set({
      account: ended(sql<string | null>`account`, sql<null>`null`),
      status: ended(sql<ExportStatus>`'cancelled'`, sql<ExportStatus>`status`),
      finishedAt: ended(sql<Date | null>`now()`, sql<Date | null>`finished_at`),
    })
    .where('exportId', '=', exportId)
    .where('account', '=', account)
    .where(isVisible)
    .returning('exportId')
    .executeTakeFirstOrThrow(exportNotFound)
}

export interface AdminFilter extends PageRequest {
  account?: string
  status?: ExportStatus
  /** Age of a heartbeat after which a sync-worker counts as dead. */
  workerExpiryMs: number
}

/**
 * One page of the exports of all accounts, newest first, each with the sync-worker that works for
 * the account.
 */
export function listAllExports(db: Db, { account, status, workerExpiryMs, ...page }: AdminFilter) {
  const isAlive = sql<boolean>`workers.heartbeat_at > now() - make_interval(secs => ${workerExpiryMs / 1000})`
  const query = db
    .selectFrom('exports')
    .leftJoin('shards', 'shards.shard', 'exports.shard')
    .leftJoin('workers', (join) => join.onRef('workers.id', '=', 'shards.owner').on(isAlive))
    .select(columns)
    .select(['exports.account', 'exports.startedAt', 'exports.finishedAt'])
    .select(['exports.unavailableSince', 'exports.storedBytes', 'workers.id as worker'])
    .where('exports.account', 'is not', null)
    .where(isVisible)
    .$if(account !== undefined, (all) => all.where('exports.account', '=', account ?? ''))
    .$if(status !== undefined, (all) => all.where('exports.status', '=', status ?? 'queued'))
    .orderBy('exports.createdAt', 'desc')
    .orderBy('exports.exportId', 'desc')
  return readPage(query, page)
}
export type AdminExportRow = Awaited<ReturnType<typeof listAllExports>>['rows'][number]

/** Bytes of the stored chunks of all exports, deleted exports included. */
export async function sumStoredBytes(db: Db): Promise<number> {
  const { sum } = await db
    .selectFrom('exports')
    .select(storedBytesSum.as('sum'))
    .where(hasChunks)
    .executeTakeFirstOrThrow()
  return Number(sum)
}
