import { type Db, type PageRequest, readPage } from '@posthorn/db'
import { sql } from 'kysely'

export interface TokenLogPage extends PageRequest {
  /**
   * Maximum log entries that are listed per access token. Older entries will be deleted by the next
   * periodic deletion.
   */
  keep: number
}

/** One page of an access token's log, newest entries first, and the number of all its entries. */
export function listTokenLog(db: Db, token: string, { keep, ...page }: TokenLogPage) {
  // Selects the entries to keep by id and then sorts them by time, because services write batches
  // of token log entries out of order.
  const retained = db
    .selectFrom('tokenLog')
    .select(['id', 'at', 'ip', 'method', 'path', 'action', 'actionGroup', 'account', 'denied'])
    .where('token', '=', token)
    .orderBy('id', 'desc')
    .limit(keep)
  const ordered = db
    .selectFrom(retained.as('retained'))
    .select(['at', 'ip', 'method', 'path', 'action', 'actionGroup', 'account', 'denied'])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
  return readPage(ordered, page)
}
export type TokenLogRow = Awaited<ReturnType<typeof listTokenLog>>['rows'][number]

export interface TokenLogLimits {
  /** Number of log entries that are kept per access token. */
  keep: number
  /** Time without use, in milliseconds, after which the log of an access token is deleted. */
  ageMs: number
}

/**
 * Deletes entries of token logs beyond the limits. Finds the tokens one by one along the index, and
 * reads entries only of tokens used within the last hour. An advisory lock prevents concurrent runs
 * of several replicas.
 */
export async function sweepTokenLog(db: Db, { keep, ageMs }: TokenLogLimits): Promise<void> {
  await sql`
    with recursive logged as (
      (
        select token, id, at from token_log
        where (select pg_try_advisory_xact_lock(hashtext('token_log')))
        order by token, id desc limit 1
      )
      union all
      select next.token, next.id, next.at from logged, lateral (
        select token, id, at from token_log where token > logged.token
        order by token, id desc limit 1
      ) as next
    ),
    bounds as (
      select token, case
        when at < now() - make_interval(secs => ${ageMs / 1000}) then id
        else (
          select id from token_log where token_log.token = logged.token
          order by id desc offset ${keep} limit 1
        )
      end as id
      from logged
      where at < now() - make_interval(secs => ${ageMs / 1000})
        or at > now() - interval '1 hour'
    )
    delete from token_log using bounds
    where token_log.token = bounds.token and token_log.id <= bounds.id
  `.execute(db)
}
