import type { StateChange } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { Position } from '../changes/position.ts'

export interface Change extends StateChange {
  position: Position
  createdAt: Date
}

export interface ChangesPage {
  changes: Change[]
  /** There may be more already. */
  full: boolean
  /** Rows are there that may not be read yet: a transaction that began before theirs is still open. */
  unsettled: boolean
  /** Changes behind the position are not kept any more; this is where to go on. */
  lost?: Position
}

interface Row {
  horizonXid: string
  horizonId: string
  missed: boolean
  xid: string | null
  id: string
  account: string
  type: string
  key: string
  payload: StateChange['payload']
  createdAt: Date
  settled: boolean
}

/**
 * The changes that follow a position. Of transactions that are still open, and of those that began after the oldest of them, nothing is
 * read yet: so nothing ever appears behind a position that was read up to, however late it is committed.
 */
export async function listChanges(db: Db, after: Position, limit: number): Promise<ChangesPage> {
  const xid = sql`${String(after.xid)}::xid8`
  const id = sql`${String(after.id)}::bigint`
  // A horizon or a position of the future is one of another server: a dump was restored. See deleteOldChanges of sync-worker.
  const { rows } = await sql<Row>`
    select h.xid::text as "horizonXid", h.id as "horizonId", h.missed,
      c.xid::text as xid, c.id, c.account, c.type, c.key, c.payload, c.created_at as "createdAt", c.settled
    from (
      select case when theirs then '0'::xid8 else xid end as xid, case when theirs then 0 else id end as id,
        (not theirs and (xid, id) > (${xid}, ${id})) or ${xid} > pg_snapshot_xmax(pg_current_snapshot()) as missed
      from (select *, xid > pg_snapshot_xmax(pg_current_snapshot()) as theirs from account_changes_horizon) known
    ) h
    left join lateral (
      select *, xid < pg_snapshot_xmin(pg_current_snapshot()) as settled from account_changes
      where (xid, id) > (${xid}, ${id}) order by xid, id limit ${limit}
    ) c on not h.missed
  `.execute(db)
  const [head] = rows
  if (head?.missed)
    return {
      changes: [],
      full: true,
      unsettled: false,
      lost: position(head.horizonXid, head.horizonId),
    }
  const found = rows.flatMap(({ xid, ...row }) => (xid === null ? [] : [{ ...row, xid }]))
  const changes = found
    .filter(({ settled }) => settled)
    .map(({ xid, id, account, type, key, payload, createdAt }) => ({
      position: position(xid, id),
      account,
      type,
      key,
      payload,
      createdAt,
    }))
  return { changes, full: changes.length === limit, unsettled: changes.length < found.length }
}

function position(xid: string, id: string): Position {
  return { xid: BigInt(xid), id: BigInt(id) }
}

/** Behind everything that can be read by now. */
export async function findChangesEnd(db: Db): Promise<Position> {
  const { rows } = await sql<{ xid: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xid
  `.execute(db)
  return position(rows[0]?.xid ?? '0', '0')
}
