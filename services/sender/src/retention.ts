import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from './config.ts'
import { deleteFinished } from './store/maintenance.ts'
import { deleteUnusedReserves } from './store/sending-reserves.ts'

/**
 * Deletes the outbox rows of submissions (requests to send a message) that finished more than
 * `keepFinishedMs` ago, and unused quota reserves of mailboxes.
 */
export async function runRetention(db: Db, { keepFinishedMs }: Config, log: Logger): Promise<void> {
  const limit = 1_000
  let deleted = 0
  for (let count = limit; count === limit; deleted += count)
    count = await deleteFinished(db, { keepMs: keepFinishedMs, limit })
  await deleteUnusedReserves(db)
  if (deleted > 0) log.info({ deleted }, 'deleted finished submissions')
}
