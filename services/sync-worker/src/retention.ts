import type { Db } from '@posthorn/db'
import type { LogRetention } from './logs/transcripts.ts'
import { deleteOldAnnounced } from './store/announced.ts'
import { deleteOldBounces } from './store/bounces.ts'
import { deleteOldChanges } from './store/changes.ts'
import { dropExportPartitions } from './store/exports.ts'
import { deleteUnwantedLogs } from './store/logs.ts'

/** Maximum rows per SQL statement that deletes expired rows. */
const limit = 10_000

interface RetentionOptions {
  changesKeepMs: number
  logRetention: () => Promise<LogRetention>
}

/**
 * Creates the task that deletes expired rows: announced Message-IDs, bounces, account changes, log
 * lines of accounts whose log was disabled, and table partitions of exports.
 */
export function runRetention(db: Db, { changesKeepMs, logRetention }: RetentionOptions) {
  return async (signal: AbortSignal): Promise<void> => {
    await repeatWhileFull(() => deleteOldAnnounced(db, limit), signal)
    await repeatWhileFull(() => deleteOldBounces(db, limit), signal)
    await repeatWhileFull(() => deleteOldChanges(db, { keepMs: changesKeepMs, limit }), signal)
    await dropExportPartitions(db)
    if (!(await logRetention()).all) await deleteUnwantedLogs(db)
  }
}

async function repeatWhileFull(work: () => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let count = limit; count === limit && !signal.aborted;) count = await work()
}
