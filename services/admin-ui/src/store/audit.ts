import type { AuditFilter } from '@posthorn/contracts/admin/audit'
import type { AdminAudit, Db } from '@posthorn/db'
import { type Insertable, type Selectable, sql } from 'kysely'

/** New row of the audit log. Its id and time are set, so that a repeated insert changes nothing. */
export type NewAuditRow = Insertable<AdminAudit> & { at: Date }

/** Inserts a row into the audit log, unless a row with its id exists. */
export async function insertAuditRow(db: Db, row: NewAuditRow): Promise<void> {
  await db
    .insertInto('adminAudit')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Position in the audit log: time and id of a row. */
export interface AuditPosition {
  at: Date
  id: string
}

export interface AuditPageRequest {
  filter: AuditFilter
  /**
   * Position before which the page of the audit log starts. If absent, the page has the newest
   * entries.
   */
  before?: AuditPosition | undefined
  limit: number
}

/** First audit log row of an action, together with the outcome that a later row contains. */
export type AuditRow = Selectable<AdminAudit> & {
  endedAt: Date | null
  endStatus: number | null
  endOutcome: string | null
}

/**
 * Lists the actions in the audit log, newest first. The first row of an action has the request id
 * as its own id. Outcome rows are searched up to two days later, because a session lasts half a day
 * at most.
 */
export async function listAuditRows(
  db: Db,
  { filter, before, limit }: AuditPageRequest,
): Promise<AuditRow[]> {
  const { person, operation, account, from, to } = filter
  let query = db
    .selectFrom('adminAudit as entry')
    .leftJoinLateral(
      (outcomes) =>
        outcomes
          .selectFrom('adminAudit as row')
          .select(['row.at as endedAt', 'row.status as endStatus', 'row.outcome as endOutcome'])
          .whereRef('row.request', '=', 'entry.request')
          .where('row.phase', '=', 'outcome')
          .where(sql<boolean>`row.at between entry.at - interval '1 hour'
            and entry.at + interval '2 days'`)
          .limit(1)
          .as('ending'),
      (join) => join.onTrue(),
    )
    .selectAll('entry')
    .select(['ending.endedAt', 'ending.endStatus', 'ending.endOutcome'])
    .whereRef('entry.request', '=', 'entry.id')
  if (person !== undefined)
    query = query.where((where) =>
      where.or([where('entry.person', '=', person), where('entry.email', '=', person)]),
    )
  if (operation !== undefined) query = query.where('entry.operation', '=', operation)
  if (account !== undefined) query = query.where('entry.account', '=', account)
  if (from !== undefined) query = query.where('entry.at', '>=', new Date(from))
  if (to !== undefined) query = query.where('entry.at', '<', new Date(to))
  if (before !== undefined)
    query = query.where(
      sql<boolean>`(entry.at, entry.id) < (${before.at}::timestamptz, ${before.id}::text)`,
    )
  return query.orderBy('entry.at', 'desc').orderBy('entry.id', 'desc').limit(limit).execute()
}

/** Creates the table partitions of the audit log for the month of a time and the next month. */
export async function ensureAuditPartitions(db: Db, at: Date): Promise<void> {
  await sql`select ensure_admin_audit_partitions(${at}::timestamptz)`.execute(db)
}

/**
 * Counts the missing table partitions of the audit log, for the month of a time and the next month.
 * Without the partition of the current month, no row can be inserted.
 */
export async function countMissingAuditPartitions(db: Db, at: Date): Promise<number> {
  const { rows } = await sql<{ missing: number }>`
    select count(*)::integer as missing from generate_series(0, 1) as month
    where not exists (
      select from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'admin_audit'::regclass and c.relname = 'admin_audit_' || to_char(
        date_trunc('month', ${at}::timestamptz at time zone 'UTC') + make_interval(months => month),
        'YYYYMM'))
  `.execute(db)
  return rows[0]?.missing ?? 0
}

/**
 * Drops the audit log partitions of months that ended more than `keepDays` days ago. Returns the
 * number of dropped partitions.
 */
export async function dropAuditPartitions(db: Db, keepDays: number): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    select drop_admin_audit_partitions(${keepDays}::integer) as dropped
  `.execute(db)
  return rows[0]?.dropped ?? 0
}
