import { accountStates, shownState } from '@posthorn/contracts/schemas/account-state'
import type { StateChange, SyncWarning } from '@posthorn/contracts/schemas/changes'
import type { AccountChanges, Db } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'

/** Position in the list of account changes: id of the transaction, and id of the row. */
export interface Position {
  readonly xid: bigint
  readonly id: bigint
}

export interface Change extends StateChange {
  position: Position
  createdAt: Date
}

type ChangeColumns = Pick<Selectable<AccountChanges>, 'account' | 'type' | 'key' | 'payload'>

export interface ChangesPage {
  entries: Change[]
  /**
   * True if a page of account changes has the maximum number of changes, so that more may follow.
   */
  full: boolean
  /**
   * True if there are account changes that cannot be read yet, because an older transaction is
   * open.
   */
  unsettled: boolean
  /**
   * Position in the list of account changes at which the reader continues, if changes that the
   * reader has not read were deleted.
   */
  lost?: Position
}

interface Row extends ChangeColumns {
  horizonXid: string
  horizonId: string
  missed: boolean
  xid: string | null
  id: string
  createdAt: Date
  settled: boolean
}

/**
 * Reads the account changes after a position in the list of changes. Skips changes of transactions
 * that are newer than the oldest open transaction. A change can therefore never appear before a
 * position that was already read, however late the change is committed.
 */
export async function listChanges(db: Db, after: Position, limit: number): Promise<ChangesPage> {
  const xid = sql`${String(after.xid)}::xid8`
  const id = sql`${String(after.id)}::bigint`
  // A horizon or position in the future of the list of account changes comes from another Postgres
  // server, because a dump was restored. See deleteOldChanges of sync-worker.
  const { rows } = await sql<Row>`
    select h.xid::text as "horizonXid", h.id as "horizonId", h.missed,
      c.xid::text as xid, c.id, c.account, c.type, c.key, c.payload,
      c.created_at as "createdAt", c.settled
    from (
      select case when restored then '0'::xid8 else xid end as xid,
        case when restored then 0 else id end as id,
        (not restored and (xid, id) > (${xid}, ${id}))
          or ${xid} > pg_snapshot_xmax(pg_current_snapshot()) as missed
      from (
        select *, xid > pg_snapshot_xmax(pg_current_snapshot()) as restored
        from account_changes_horizon
      ) horizon
    ) h
    left join lateral (
      select *, xid < pg_snapshot_xmin(pg_current_snapshot()) as settled
      from account_changes where (xid, id) > (${xid}, ${id}) order by xid, id limit ${limit}
    ) c on not h.missed
  `.execute(db)
  const [head] = rows
  if (head?.missed) {
    const lost = position(head.horizonXid, head.horizonId)
    return { entries: [], full: true, unsettled: false, lost }
  }
  const pending = rows.flatMap(({ xid, ...row }) => (xid === null ? [] : [{ ...row, xid }]))
  const changes = pending
    .filter(({ settled }) => settled)
    .map(({ xid, id, createdAt, ...row }) => ({
      ...toStateChange(row),
      position: position(xid, id),
      createdAt,
    }))
  return {
    entries: changes,
    full: changes.length === limit,
    unsettled: changes.length < pending.length,
  }
}

function toStateChange({ account, type, key, payload }: ChangeColumns): StateChange {
  if (payload !== null && !('error' in payload))
    return { account, type, key: { type: key as SyncWarning['type'], ...payload }, payload: null }
  // Returns an unknown account state unchanged, because a newer release may store states that this
  // release does not know.
  const exact = type === 'state' ? accountStates.find((state) => state === key) : undefined
  if (exact === undefined) return { account, type, key, payload }
  return { account, type, key: shownState(exact), stateDetail: exact, payload }
}

function position(xid: string, id: string): Position {
  return { xid: BigInt(xid), id: BigInt(id) }
}

/** Returns the position in the list of account changes behind all changes that can be read now. */
export async function findChangesEnd(db: Db): Promise<Position> {
  const { rows } = await sql<{ xid: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xid
  `.execute(db)
  return position(rows[0]?.xid ?? '0', '0')
}
