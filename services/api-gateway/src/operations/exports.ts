import { randomBytes } from 'node:crypto'
import { fieldError } from '@posthorn/contracts/describe-error'
import { parseDate } from '@posthorn/contracts/formats'
import { operations } from '@posthorn/contracts/operations'
import {
  defaultExportTextBytes,
  type ExportRecord,
  type ExportRequest,
} from '@posthorn/contracts/schemas/export'
import { settingDefaults, type Settings } from '@posthorn/contracts/settings/settings'
import { validationError } from '@posthorn/contracts/validate'
import { tenantExportError } from '@posthorn/contracts/visible-failures'
import { hasMailbox } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { chunkKeySealContext, newChunkKey } from '@posthorn/secrets'
import { isTenant } from '../access/authorize.ts'
import type { Caller } from '../access/authenticate.ts'
import { handle, handleWriter, type OperationHandler } from '../http/handle.ts'
import { orAccountNotFound } from '../store/accounts/accounts.ts'
import {
  type AdminExportRow,
  endOrDeleteExport,
  type ExportRow,
  getExport,
  listAllExports,
  listExports,
  sumStoredBytes,
} from '../store/exports/export-records.ts'
import { exportAccountNotFound, getExportAccount, insertExport } from '../store/exports/exports.ts'
import { inTransaction } from '../store/transaction.ts'
import type { OperationDeps } from './operation-deps.ts'

type ExportDeps = Pick<
  OperationDeps,
  'db' | 'sealer' | 'settings' | 'exports' | 'exportLimits' | 'workerExpiryMs'
>

/** Operations on exports. sync-workers find new exports by polling. */
export function exportHandlers(deps: ExportDeps): OperationHandler[] {
  const { db, exports, exportLimits, workerExpiryMs } = deps
  return [
    handle(operations.createExport, async ({ params: { account }, body }) => {
      const { exportId, createdAt } = await createExport(deps, account, body)
      return { exportId, status: 'queued' as const, created: createdAt.toISOString() }
    }),
    handle(operations.listExports, async ({ params: { account }, query }) => {
      await getExportAccount(db, account)
      const { rows, ...counts } = await listExports(db, account, query)
      return { ...counts, exports: rows.map(describeEntry) }
    }),
    handle(operations.getExport, async ({ params: { account, exportId }, caller }) => {
      await getExportAccount(db, account)
      return describeExport(await getExport(db, account, exportId), caller)
    }),
    handle(operations.deleteExport, async ({ params: { account, exportId } }) => {
      await getExportAccount(db, account)
      await endOrDeleteExport(db, account, exportId)
      return { deleted: true }
    }),
    handleWriter(operations.downloadExport, async ({ params, headers, caller, signal }) => {
      await getExportAccount(db, params.account)
      const { range, 'if-range': ifRange } = headers
      return exports.open({ ...params, range, ifRange, caller, signal })
    }),
    handle(operations.listAllExports, async ({ query, caller }) => {
      const { rows, ...counts } = await listAllExports(db, { ...query, workerExpiryMs })
      const storedBytes = await sumStoredBytes(db)
      const listed = rows.map((row) => describeForOperators(row, caller))
      return {
        ...counts,
        storedBytes,
        maxStoredBytes: exportLimits.maxStoredBytes,
        exports: listed,
      }
    }),
  ]
}

/**
 * Creates an export of an account's messages. Its key is stored sealed (encrypted), so that only
 * auth-bridge can read the key.
 */
async function createExport(
  { db, sealer, settings, exportLimits }: ExportDeps,
  account: string,
  body: ExportRequest,
) {
  const dates = readDates(body)
  const owner = await getExportAccount(db, account)
  if (!hasMailbox(owner))
    throw new AppError('invalid', 'The account has no mailbox to export', {
      code: 'UnsupportedOperation',
    })
  const exportId = `exp_${randomBytes(12).toString('hex')}`
  const key = newChunkKey().toString('base64')
  const sealed = await sealer.seal(key, chunkKeySealContext(exportId))
  const limits = { ...exportLimits, ...concurrencyOf(await settings.get()) }
  const { folders = [], textType = '*', maxBytes = defaultExportTextBytes } = body
  const { includeAttachments = false } = body
  const options = { folders, textType, maxBytes, includeAttachments }
  const row = { ...options, ...dates, exportId, account, shard: owner.shard, sealed }
  const createdAt = await orAccountNotFound(
    inTransaction(db, (tx) => insertExport(tx, row, limits)),
    exportAccountNotFound,
  )
  return { exportId, createdAt }
}

function concurrencyOf({ exportMaxConcurrent, exportMaxGlobalConcurrent }: Settings) {
  return {
    maxOfAccount: exportMaxConcurrent ?? settingDefaults.exportMaxConcurrent,
    maxOfAll: exportMaxGlobalConcurrent ?? settingDefaults.exportMaxGlobalConcurrent,
  }
}

/** Range of dates of a requested export. @throws AppError `invalid` unless start is before end */
function readDates({ startDate, endDate }: ExportRequest) {
  const start = parseDate(startDate) ?? new Date(Number.NaN)
  const end = parseDate(endDate) ?? new Date(Number.NaN)
  if (start < end) return { startDate: start, endDate: end }
  throw validationError([fieldError('startDate', 'must be before "endDate"')])
}

function describeEntry({ exportId, status, createdAt, expiresAt }: ExportRow) {
  return {
    exportId,
    status,
    created: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}

/** Export of an account's messages as the API represents it. */
function describeExport(row: ExportRow, caller: Caller): ExportRecord {
  const { phase, folders, foldersScanned, foldersTotal, messagesQueued } = row
  const { messagesExported, messagesSkipped, truncated, estimatedEnd } = row
  const counts = { foldersScanned, foldersTotal, messagesQueued, messagesExported, messagesSkipped }
  return {
    ...describeEntry(row),
    ...(phase !== 'pending' && { phase }),
    folders,
    startDate: row.startDate.toISOString(),
    endDate: row.endDate.toISOString(),
    isEncrypted: true,
    progress: { ...counts, bytesWritten: Number(row.bytesWritten) },
    ...(isUnfinished(row) && estimatedEnd && { estimatedEnd: estimatedEnd.toISOString() }),
    truncated,
    error: visibleError(row, caller),
  }
}

/**
 * True for an export that has not ended. The row of an ended export may still have values that
 * describe its progress.
 */
function isUnfinished({ status }: ExportRow): boolean {
  return status === 'queued' || status === 'processing'
}

/** Error text of an export, reduced if the caller is a tenant (restricted access token). */
function visibleError({ error, errorCode }: ExportRow, { token }: Caller): string | null {
  if (error === null || !isTenant(token)) return error
  return tenantExportError({ error, errorCode: errorCode ?? undefined }).error
}

function describeForOperators(row: AdminExportRow, caller: Caller) {
  return {
    ...describeExport(row, caller),
    account: row.account ?? '',
    errorCode: row.errorCode,
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    unavailableSince: (isUnfinished(row) && row.unavailableSince?.toISOString()) || null,
    worker: row.worker,
    storedBytes: Number(row.storedBytes),
  }
}
