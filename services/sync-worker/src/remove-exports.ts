import type { Bus } from '@posthorn/bus'
import {
  type Db,
  endExport,
  type EndOptions,
  publishEvents,
  type RecordedEvent,
  type SettingsCache,
} from '@posthorn/db'
import { deleteEndedIndexes } from './store/export-index.ts'
import { listExpiredExports, lockExpiredExport, removeExportChunks } from './store/exports.ts'

export interface RemovalDeps {
  db: Db
  bus: Bus
  settings: SettingsCache
  /** Time in milliseconds for which the API shows a failed export of an account's messages. */
  maxAgeMs: number
}

const expired = {
  status: 'failed',
  error: 'The export made no progress until it expired',
  errorCode: 'ExportExpired',
} as const

/**
 * Creates the task that marks expired exports as failed and removes the files of exports that are
 * not needed, in small transactions. Any number of sync-workers may run the task concurrently.
 */
export function removeExports({ db, bus, settings, maxAgeMs }: RemovalDeps) {
  return async (signal: AbortSignal): Promise<void> => {
    const { serviceUrl = null } = await settings.get()
    for (const exportId of await listExpiredExports(db)) {
      const events = await failExpired(db, exportId, { maxAgeMs, serviceUrl })
      await publishEvents(db, (message) => bus.publishEvent(message), events)
    }
    await deleteEndedIndexes(db)
    while (!signal.aborted && (await db.transaction().execute(removeExportChunks)));
  }
}

async function failExpired(
  db: Db,
  exportId: string,
  options: EndOptions,
): Promise<RecordedEvent[]> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockExpiredExport(tx, exportId))) return []
    return (await endExport(tx, [exportId, expired], options)) ?? []
  })
}
