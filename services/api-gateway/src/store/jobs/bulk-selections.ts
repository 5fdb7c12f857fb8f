import { parseDate } from '@posthorn/contracts/formats'
import type { AccountJobFilter, OutboxJobFilter } from '@posthorn/contracts/schemas/job'
import type { BulkJobs, Db, Tx } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'
import { matchesAccount } from '../accounts/account-filter.ts'
import { matchesSubmissionText } from '../messages/outbox.ts'

/** Members of a bulk job that select its rows. */
export interface Selection {
  kind: BulkJobs['kind']
  /** Filter of the bulk job; null if the request contained the ids of the rows. */
  filter: AccountJobFilter | OutboxJobFilter | null
  /**
   * Time of the request that created the bulk job, as text of the column, with microseconds, which
   * a JavaScript date would lose.
   */
  createdAt: string
}

/**
 * SQL query of the ids of the rows that a bulk job selects by its filter, in the order of their
 * actions. Rows that were created after the request are not selected.
 */
export function selectedRows({ kind, filter, createdAt }: Selection): RawBuilder<unknown> {
  return kind === 'accounts'
    ? sql`select accounts.account as row_id, accounts.account as place from accounts
        left join account_states on account_states.account = accounts.account
        where accounts.created_at <= ${createdAt}::timestamptz
          and ${matchesAccount((filter ?? {}) as AccountJobFilter)}`
    : sql`select queue_id as row_id, created_at as place from outbox
        where created_at <= ${createdAt}::timestamptz
          and ${matchesSubmission((filter ?? {}) as OutboxJobFilter)}`
}

function matchesSubmission({ account, state, query, createdBefore }: OutboxJobFilter) {
  const conditions = [
    // States of submissions are written as literals, not parameters, so that the planner can use
    // the partial indexes.
    state === undefined ? sql`state in ('queued', 'held')` : sql`state = ${sql.lit(state)}`,
    account !== undefined && sql`account = ${account}`,
    query !== undefined && matchesSubmissionText(query),
    createdBefore !== undefined && sql`created_at < ${toTimestamp(createdBefore)}`,
  ]
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` and `,
  )
}

/**
 * SQL expression for a time in the filter of a bulk job. Converts the time to seconds, because
 * Postgres reads fewer formats than the API, and no year 0.
 */
function toTimestamp(time: string): RawBuilder<unknown> {
  const ms = parseDate(time)?.getTime() ?? 0
  return sql`to_timestamp(${ms / 1000}::double precision)`
}

/**
 * True if the filter of a bulk job still selects a row. The state of the row may have changed since
 * the job selected its rows. Always true for a row that was selected by its id.
 */
export async function isStillSelected(
  db: Db | Tx,
  selection: Selection,
  rowId: string,
): Promise<boolean> {
  if (selection.filter === null) return true
  const { rows } = await sql`
    select 1 from (${selectedRows(selection)}) as selected where row_id = ${rowId}
  `.execute(db)
  return rows.length > 0
}
