import { defined } from '@posthorn/contracts/defined'
import {
  type ExportCompleted,
  exportCompleted,
  type ExportFailed,
  exportFailed,
} from '@posthorn/contracts/events/exports'
import { sql } from 'kysely'
import type { Tx } from '../connect.ts'
import { deriveEventId } from '../events/event-id.ts'
import { type NewEvent, type RecordedEvent, recordEvents } from '../events/record.ts'

/** Result with which an export ends. A completed export is truncated if a limit ended it. */
export type ExportEnd =
  | { status: 'completed'; truncated: boolean }
  | { status: 'failed'; error: string; errorCode?: string }

export interface EndOptions {
  /** Time from the end of an export to its removal. */
  maxAgeMs: number
  /** Public base URL of the service, which the webhook body of the event contains. */
  serviceUrl: string | null
}

/**
 * Ends an export and records its event exportCompleted or exportFailed, in the transaction that
 * stores the last chunk. Returns the recorded event, to be published after the commit. Undefined,
 * and nothing is stored, if the export has ended or was cancelled or deleted.
 */
export async function endExport(
  tx: Tx,
  [exportId, end]: [string, ExportEnd],
  { maxAgeMs, serviceUrl }: EndOptions,
): Promise<RecordedEvent[] | undefined> {
  const row = await tx
    .updateTable('exports')
    .set({
      ...(end.status === 'completed'
        ? { phase: 'complete', truncated: end.truncated }
        : { error: end.error, errorCode: end.errorCode ?? null }),
      status: end.status,
      finishedAt: sql<Date>`now()`,
      expiresAt: sql<Date>`now() + make_interval(secs => ${maxAgeMs / 1000})`,
      estimatedEnd: null,
      unavailableSince: null,
    })
    .where('exportId', '=', exportId)
    .where('status', 'in', ['queued', 'processing'])
    .where('account', 'is not', null)
    .returning(['account', 'phase', 'folders', 'startDate', 'endDate', 'createdAt', 'startedAt'])
    .returning(['finishedAt', 'expiresAt', 'messagesExported', 'messagesSkipped', 'messagesQueued'])
    .returning('bytesWritten')
    .executeTakeFirst()
  if (!row) return undefined
  const { account, ...ended } = row
  const event =
    end.status === 'completed' ? completed(exportId, ended) : failed(exportId, ended, end)
  return recordEvents(tx, [{ ...event, account: account ?? '' }], serviceUrl)
}

interface EndedExport {
  phase: 'pending' | 'indexing' | 'exporting' | 'complete'
  folders: string[]
  startDate: Date
  endDate: Date
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  expiresAt: Date
  messagesExported: number
  messagesSkipped: number
  messagesQueued: number
  bytesWritten: string
}

type ExportEvent = Omit<NewEvent, 'account'>

function completed(exportId: string, row: EndedExport): ExportEvent {
  const { folders, startDate, endDate, messagesExported, messagesSkipped, bytesWritten } = row
  const { createdAt, startedAt, finishedAt, expiresAt } = row
  const data: ExportCompleted = {
    exportId,
    folders,
    startDate: startDate.toISOString(),
    endDate: endDate.toISOString(),
    messagesExported,
    messagesSkipped,
    bytesWritten: Number(bytesWritten),
    duration: Number(finishedAt) - Number(startedAt ?? createdAt),
    expiresAt: expiresAt.toISOString(),
  }
  return {
    eventId: deriveEventId([exportCompleted.name, exportId]),
    event: exportCompleted.name,
    data,
  }
}

function failed(
  exportId: string,
  { phase, messagesExported, messagesQueued }: EndedExport,
  { error, errorCode }: ExportEnd & { status: 'failed' },
): ExportEvent {
  const data: ExportFailed = {
    exportId,
    error,
    ...defined({ errorCode }),
    phase: phase === 'complete' ? 'unknown' : phase,
    messagesExported,
    messagesQueued,
  }
  return { eventId: deriveEventId([exportFailed.name, exportId]), event: exportFailed.name, data }
}
