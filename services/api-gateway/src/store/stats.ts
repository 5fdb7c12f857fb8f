import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Rows of one queue that are looked at: more are not worth counting. */
const maxCounted = 10_000

/** The version of Postgres, such as `15.14`. */
export async function getPostgresVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select split_part(current_setting('server_version'), ' ', 1) as version
  `.execute(db)
  return rows[0]?.version ?? ''
}

/** How many accounts are in which state; `unassigned` for those whose shard no living worker holds. */
export async function countAccountsByState(db: Db, expiryMs: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ state: string; count: number }>`
    with held as (
      select shard from shards join workers on workers.id = shards.owner
      where heartbeat_at > now() - make_interval(secs => ${expiryMs / 1000})
    )
    select case when held.shard is null then 'unassigned' else coalesce(states.state, 'new') end as state, count(*)::int as count
    from accounts
    left join account_states states on states.account = accounts.account
    left join held on held.shard = accounts.shard
    group by 1
  `.execute(db)
  return new Map(rows.map(({ state, count }) => [state, count]))
}

export interface Jobs {
  waiting: number
  active: number
  delayed: number
  failed: number
}

/** Deliveries of webhooks, each kind counted up to 10,000. */
export async function countDeliveries(db: Db): Promise<Jobs> {
  const { rows } = await sql<Jobs>`
    select
      count(*) filter (where next_attempt_at <= now())::int as waiting,
      count(*) filter (where next_attempt_at > now() and claim is not null)::int as active,
      count(*) filter (where next_attempt_at > now() and claim is null)::int as delayed,
      (select count(*)::int from (select from deliveries where state = 'failed' limit ${maxCounted}) f) as failed
    from (select next_attempt_at, claim from deliveries where state = 'due' order by next_attempt_at limit ${maxCounted}) d
  `.execute(db)
  return rows[0] ?? { waiting: 0, active: 0, delayed: 0, failed: 0 }
}

/** Messages to send, each kind counted up to 10,000. */
export async function countSubmissions(db: Db): Promise<Jobs> {
  const { rows } = await sql<Jobs>`
    select
      count(*) filter (where not leased and next_attempt_at <= now())::int as waiting,
      count(*) filter (where leased)::int as active,
      count(*) filter (where not leased and next_attempt_at > now())::int as delayed,
      (select count(*)::int from (select from outbox where state = 'failed' limit ${maxCounted}) f) as failed
    from (
      select next_attempt_at, coalesce(lease_until > now(), false) as leased
      from outbox where state = 'queued' order by next_attempt_at limit ${maxCounted}
    ) q
  `.execute(db)
  return rows[0] ?? { waiting: 0, active: 0, delayed: 0, failed: 0 }
}

/** What was counted in the minutes that reach into the window. */
export async function sumCounters(db: Db, seconds: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; value: string }>`
    select key, sum(value) as value from stat_counters
    where minute > now() - make_interval(secs => ${seconds + 60}) group by key order by key
  `.execute(db)
  return new Map(rows.map(({ key, value }) => [key, Number(value)]))
}
