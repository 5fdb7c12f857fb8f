import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Stores a sorted run (piece) of an export's message list. Requires the account's lease. */
export async function insertRun(
  tx: Tx,
  exportId: string,
  { run, parts }: { run: number; parts: readonly Buffer[] },
): Promise<void> {
  for (const [part, entries] of parts.entries())
    await tx.insertInto('exportIndex').values({ exportId, run, part, entries }).execute()
}

/**
 * Loads a part of a sorted run of an export's message list. Undefined if the run has no such part.
 */
export async function findPart(
  db: Db,
  { exportId, run, part }: { exportId: string; run: number; part: number },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('exportIndex')
    .select('entries')
    .where('exportId', '=', exportId)
    .where('run', '=', run)
    .where('part', '=', part)
    .executeTakeFirst()
  return row?.entries
}

/** Deletes the stored message list of an export. */
export async function deleteIndex(tx: Tx, exportId: string): Promise<void> {
  await tx.deleteFrom('exportIndex').where('exportId', '=', exportId).execute()
}

/** Deletes the stored message lists of exports that have ended. */
export async function deleteEndedIndexes(db: Db): Promise<void> {
  await sql`
    delete from export_index i using exports e
    where i.export_id = e.export_id and e.status not in ('queued', 'processing')
  `.execute(db)
}
