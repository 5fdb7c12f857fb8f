import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import type { Db } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/**
 * Maximum entries that are counted per work queue (submissions, webhook deliveries), which limits
 * the cost.
 */
const maxCounted = 10_000

/** Version of Postgres, such as `15.14`. */
export async function getPostgresVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select split_part(current_setting('server_version'), ' ', 1) as version
  `.execute(db)
  return rows[0]?.version ?? ''
}

export type AccountCounts = { [K in AccountState | 'unassigned']?: number }

/**
 * Number of accounts per state. Accounts count as `unassigned` if no live worker holds their shard
 * (group of accounts).
 */
export async function countAccountsByState(db: Db, expiryMs: number): Promise<AccountCounts> {
  const { rows } = await sql<{ state: string; count: number }>`
    with leased as (
      select shard from shards join workers on workers.id = shards.owner
      where heartbeat_at > now() - make_interval(secs => ${expiryMs / 1000})
    )
    select case when leased.shard is null then 'unassigned' else coalesce(states.state, 'new') end as state,
      count(*)::int as count
    from accounts
    left join account_states states on states.account = accounts.account
    left join leased on leased.shard = accounts.shard
    group by 1
  `.execute(db)
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

export interface Jobs {
  waiting: number
  active: number
  delayed: number
  failed: number
}

/** Numbers of webhook deliveries by kind (waiting, active, …), each counted up to 10,000. */
export function countDeliveries(db: Db): Promise<Jobs> {
  const leased = sql`claim is not null and next_attempt_at > now()`
  return countJobs(db, { table: 'deliveries', pending: 'due', leased })
}

/** Numbers of submissions by kind (waiting, active, …), each counted up to 10,000. */
export function countSubmissions(db: Db): Promise<Jobs> {
  const leased = sql`coalesce(lease_until > now(), false)`
  return countJobs(db, { table: 'outbox', pending: 'queued', leased })
}

interface JobTable {
  table: 'deliveries' | 'outbox'
  /**
   * Value of the column `state` for webhook deliveries or submissions that wait for an attempt, or
   * are in an attempt.
   */
  pending: string
  /** SQL condition that is true for a webhook delivery or submission in progress. */
  leased: RawBuilder<unknown>
}

async function countJobs(db: Db, { table, pending, leased }: JobTable): Promise<Jobs> {
  const { rows } = await sql<Jobs>`
    select
      count(*) filter (where not leased and next_attempt_at <= now())::int as waiting,
      count(*) filter (where leased)::int as active,
      count(*) filter (where not leased and next_attempt_at > now())::int as delayed,
      (
        select count(*)::int
        from (select from ${sql.table(table)} where state = 'failed' limit ${maxCounted}) f
      ) as failed
    from (
      select next_attempt_at, ${leased} as leased from ${sql.table(table)}
      where state = ${sql.lit(pending)} order by next_attempt_at limit ${maxCounted}
    ) q
  `.execute(db)
  return rows[0] ?? { waiting: 0, active: 0, delayed: 0, failed: 0 }
}

/** Number of submissions that operators have put on hold, counted up to 10,000. */
export async function countHeldSubmissions(db: Db): Promise<number> {
  const { rows } = await sql<{ held: number }>`
    select count(*)::int as held from (select from outbox where state = 'held' limit ${maxCounted}) o
  `.execute(db)
  return rows[0]?.held ?? 0
}

/** Sums of the statistics counters over the minutes that overlap the last `seconds` seconds. */
export async function sumCounters(db: Db, seconds: number): Promise<Record<string, number>> {
  const { rows } = await sql<{ key: string; value: string }>`
    select key, sum(value) as value from stat_counters
    where minute > now() - make_interval(secs => ${seconds + 60}) group by key order by key
  `.execute(db)
  return Object.fromEntries(rows.map(({ key, value }) => [key, Number(value)]))
}
