import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Key of the advisory lock: only one worker at a time deletes rows of `account_changes`. */
const sweepLock = 7_825_516

/**
 * Deletes up to `limit` of the oldest expired rows of `account_changes` and stores the horizon: the
 * position of the last deleted row. Returns the number of deleted rows. Also deletes rows that a
 * dump restored from another server: if their transaction ids are in the future of this server,
 * readers would never reach these rows.
 */
export function deleteOldChanges(
  db: Db,
  { keepMs, limit }: { keepMs: number; limit: number },
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows: locks } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${sweepLock}) as locked
    `.execute(tx)
    if (!locks[0]?.locked) return 0
    await sql`
      delete from account_changes where xid >= pg_snapshot_xmax(pg_current_snapshot())
    `.execute(tx)
    await sql`
      update account_changes_horizon set xid = pg_snapshot_xmin(pg_current_snapshot()), id = 0
      where xid >= pg_snapshot_xmax(pg_current_snapshot())
    `.execute(tx)
    const { rows } = await sql<{ deleted: number }>`
      with oldest as (
        select xid, id, created_at from account_changes order by xid, id limit ${limit}
      ), expired as (
        delete from account_changes c using oldest o
        where c.xid = o.xid and c.id = o.id
          and o.created_at < now() - make_interval(secs => ${keepMs / 1000})
          and o.xid < pg_snapshot_xmin(pg_current_snapshot())
        returning c.xid, c.id
      ), horizon as (
        update account_changes_horizon h set xid = last.xid, id = last.id
        from (select xid, id from expired order by xid desc, id desc limit 1) last
        where (last.xid, last.id) > (h.xid, h.id)
      )
      select count(*)::int as deleted from expired
    `.execute(tx)
    return rows[0]?.deleted ?? 0
  })
}

/**
 * Stores a `syncWarning` of an account, which `GET /v1/changes` returns. Requires the account's
 * lease.
 */
export async function insertSyncWarning(
  tx: Tx,
  account: string,
  { type, path, message }: { type: string; path: string; message: string },
): Promise<void> {
  await tx
    .insertInto('accountChanges')
    .values({ account, type: 'syncWarning', key: type, payload: JSON.stringify({ path, message }) })
    .execute()
}
