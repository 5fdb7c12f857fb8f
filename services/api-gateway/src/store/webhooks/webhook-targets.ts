import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** Maximum deliveries of a webhook target that are counted, which limits the cost of a query. */
const maxCounted = 10_000

/** Address (URL) of a webhook target with the state of its stored deliveries. */
export interface TargetRow {
  address: string
  due: number
  oldestDueAt: Date | null
  failed: number
  hourDelivered: number
  hourFailed: number
  hourRetried: number
  p95Ms: number | null
  /**
   * Webhook delivery with the last attempt of all deliveries to the target's address; null without
   * an attempt. The next members describe this attempt.
   */
  delivery: string | null
  at: Date | null
  durationMs: number | null
  outcome: string | null
  status: number | null
  error: string | null
  response: string | null
}

export interface TargetPage {
  /** Addresses (URLs) of webhook targets that are listed even if no delivery to them is stored. */
  configured: readonly string[]
  /** Address (URL) of the only webhook target to list. */
  address?: string
  /** Address (URL) of the last webhook target on the previous page. */
  cursor?: string
  pageSize: number
}

/**
 * One page of the addresses of webhook targets, sorted by address, and the cursor of the next page.
 * The addresses are read by steps through indexes, so that the cost does not depend on the number
 * of deliveries.
 */
export async function listTargets(db: Db, page: TargetPage) {
  const { rows } = await sql<TargetRow>`
    with recursive ${addresses(page)}
    select a.address, due.count as due, oldest.at as "oldestDueAt", failed.count as failed,
      hour.delivered as "hourDelivered", hour.failed as "hourFailed", hour.retried as "hourRetried",
      hour.p95 as "p95Ms", last.id as delivery, last.last_ended_at as at,
      last.last_duration_ms as "durationMs", last.last_outcome as outcome,
      last.last_status as status, last.last_error as error, last.last_response as response
    from addresses a
    cross join lateral (${countOf(sql`state = 'due' and lane = a.address`)}) as due
    cross join lateral (select min(next_attempt_at) as at from deliveries
      where state = 'due' and lane = a.address and next_attempt_at <= now()) as oldest
    cross join lateral (
      ${countOf(sql`state = 'failed' and replayed_at is null and lane = a.address`)}) as failed
    cross join lateral (
      select count(*) filter (where state = 'delivered')::int as delivered,
        count(*) filter (where state = 'failed')::int as failed,
        count(*) filter (where state = 'due')::int as retried,
        percentile_disc(0.95) within group (order by last_duration_ms) as p95
      from (select state, last_duration_ms from deliveries
        where lane = a.address and last_ended_at >= now() - interval '1 hour'
        order by last_ended_at desc limit ${maxCounted}) as recent
    ) as hour
    left join lateral (
      select * from deliveries where lane = a.address and last_ended_at is not null
      order by last_ended_at desc limit 1
    ) as last on true
    where a.address is not null order by a.position
  `.execute(db)
  const { pageSize } = page
  const targets = rows.slice(0, pageSize)
  return {
    targets,
    nextCursor: rows.length > pageSize ? (targets.at(-1)?.address ?? null) : null,
  }
}

/**
 * SQL definition of `addresses`: the webhook target addresses of a page, and one more if a page
 * follows.
 */
function addresses({
  configured,
  address,
  cursor = '',
  pageSize,
}: TargetPage): RawBuilder<unknown> {
  const listed = sql`${sql.val([...configured])}::text[]`
  if (address !== undefined)
    return sql`addresses (address, position) as (
      select ${address}::text, 1 where ${address} = any(${listed})
        or exists (select 1 from deliveries where state = 'due' and lane = ${address})
        or exists (select 1 from deliveries where last_ended_at is not null and lane = ${address})
        or exists (select 1 from deliveries
          where state = 'failed' and replayed_at is null and lane = ${address})
    )`
  return sql`addresses (address, position) as (
      select ${addressAfter(sql`${cursor}::text`, listed)}, 1
      union all
      select ${addressAfter(sql`addresses.address`, listed)}, position + 1 from addresses
      where address is not null and position <= ${pageSize}
    )`
}

/** SQL expression for the next address of a webhook target. Null after the last address. */
function addressAfter(before: RawBuilder<unknown>, configured: RawBuilder<unknown>) {
  const lane = (condition: RawBuilder<unknown>) =>
    sql`(select d.lane from deliveries d where ${condition} and d.lane > ${before}
      order by d.lane limit 1)`
  return sql`least(
      ${lane(sql`d.state = 'due'`)}, ${lane(sql`d.last_ended_at is not null`)},
      ${lane(sql`d.state = 'failed' and d.replayed_at is null`)},
      (select min(c) from unnest(${configured}) as c where c > ${before}))`
}

function countOf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select count(*)::int as count
      from (select 1 from deliveries where ${condition} limit ${maxCounted}) as counted`
}

/** Paused webhook target with its waiting deliveries. */
export interface PausedTarget {
  address: string
  /** Number of webhook deliveries to the paused target in the state `due`, counted up to 10,000. */
  due: number
  /**
   * Time from which the oldest waiting webhook delivery to the paused target has been due. Null if
   * no delivery waits.
   */
  oldestDueAt: Date | null
}

/** Those paused webhook targets whose deliveries have waited longest, at most `limit`. */
export async function listPausedTargets(
  db: Db,
  paused: readonly string[],
  limit: number,
): Promise<PausedTarget[]> {
  if (paused.length === 0) return []
  const { rows } = await sql<PausedTarget>`
    with oldest as materialized (
      select address, (select min(next_attempt_at) from deliveries
        where state = 'due' and lane = address and next_attempt_at <= now()) as at
      from unnest(${sql.val([...paused])}::text[]) as address
      order by at nulls last, address limit ${limit}
    )
    select address, due.count as due, at as "oldestDueAt" from oldest
    cross join lateral (${countOf(sql`state = 'due' and lane = address`)}) as due
    order by at nulls last, address
  `.execute(db)
  return rows
}
