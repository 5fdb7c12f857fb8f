import type { Db } from '@posthorn/db'
import type { LogRetention } from './logs/transcripts.ts'
import { deleteOldAnnounced } from './store/announced.ts'
import { deleteOldBounces } from './store/bounces.ts'
import { deleteOldChanges } from './store/changes.ts'
import { deleteUnwantedLogs } from './store/logs.ts'

/** Rows deleted by one statement. */
const limit = 10_000

interface RetentionOptions {
  changesKeepMs: number
  wantedLogs: () => Promise<LogRetention>
}

/** Deletes what was kept long enough: Message-IDs announced, bounces, changes of states, and log lines that came after their account had its log switched off. */
export function runRetention(db: Db, { changesKeepMs, wantedLogs }: RetentionOptions) {
  return async (signal: AbortSignal): Promise<void> => {
    await untilFew(() => deleteOldAnnounced(db, limit), signal)
    await untilFew(() => deleteOldBounces(db, limit), signal)
    await untilFew(() => deleteOldChanges(db, { keepMs: changesKeepMs, limit }), signal)
    if (!(await wantedLogs()).all) await deleteUnwantedLogs(db)
  }
}

async function untilFew(work: () => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let count = limit; count === limit && !signal.aborted;) count = await work()
}
