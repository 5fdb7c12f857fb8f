import type { ApiPending, Db, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'

/** Pending message: a message at a mail API that must be read again. */
export type ApiPendingRow = Omit<Selectable<ApiPending>, 'account'>

/**
 * Inserts pending messages (messages that must be read again). Pending messages in `named` replace
 * the folder of an existing pending message. Pending messages in `changed` update the stored number
 * of attempts. Requires the account's lease.
 */
export async function saveApiPending(
  tx: Tx,
  account: string,
  { named, inserted, changed }: Record<'named' | 'inserted' | 'changed', readonly ApiPendingRow[]>,
): Promise<void> {
  const insert = (rows: readonly ApiPendingRow[]) =>
    tx.insertInto('apiPending').values(rows.map((row) => ({ account, ...row })))
  if (named.length > 0)
    await insert(uniqueRows(named))
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'message'])
          .doUpdateSet((row) => ({ folder: row.ref('excluded.folder') })),
      )
      .execute()
  if (inserted.length > 0)
    await insert(inserted)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  for (const { message, tries, nextAt } of changed)
    await tx
      .updateTable('apiPending')
      .set({ tries, nextAt })
      .where('account', '=', account)
      .where('message', '=', message)
      .execute()
}

/** Keeps only the last row of each pending message (to be read again). */
function uniqueRows(rows: readonly ApiPendingRow[]): ApiPendingRow[] {
  return [...new Map(rows.map((row) => [row.message, row])).values()]
}

/**
 * Deletes pending messages (to be read again) whose row names the folder `folder`. If `folder` is
 * absent, deletes the pending messages of all folders. Requires the account's lease.
 */
export async function deleteApiPending(
  tx: Tx,
  account: string,
  { messages, folder }: { messages: readonly string[]; folder?: string | null },
): Promise<void> {
  if (messages.length === 0) return
  const isInFolder = folder === undefined ? sql`true` : sql`folder is not distinct from ${folder}`
  await sql`
    delete from api_pending where account = ${account} and message = any(${messages}::text[])
      and ${isInFolder}
  `.execute(tx)
}

/** Pending messages (named by a feed, to be read again) due at a time, the earliest first. */
export function listDueApiPending(
  db: Db,
  account: string,
  { now, limit }: { now: Date; limit: number },
): Promise<ApiPendingRow[]> {
  return db
    .selectFrom('apiPending')
    .select(['message', 'folder', 'tries', 'nextAt'])
    .where('account', '=', account)
    .where('nextAt', '<=', now)
    .orderBy('nextAt')
    .orderBy('message')
    .limit(limit)
    .execute()
}

/** Returns the earliest time at which a pending message of the account must be read again. */
export async function findNextApiPendingAt(db: Db, account: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('apiPending')
    .select('nextAt')
    .where('account', '=', account)
    .orderBy('nextAt')
    .limit(1)
    .executeTakeFirst()
  return row?.nextAt
}
