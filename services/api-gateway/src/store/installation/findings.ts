import { type Db, dueLanes } from '@posthorn/db'
import { sql } from 'kysely'

/** Maximum entries that are counted for a finding, which limits the cost of the queries. */
const maxFindingCount = 10_000

/** Entries that a finding reports, such as late webhook deliveries or failed exports. */
export interface Backlog {
  /** Number of entries (such as late webhook deliveries) that a finding reports, at most 10,000. */
  count: number
  /** Time at which the oldest entry of the finding was due or failed. */
  oldestAt: Date | null
}

/** Maximum webhook targets that are searched for late deliveries, which limits the cost. */
const maxLanes = 10_000

/**
 * Webhook deliveries that have been due for longer than `lateMs` and that no process attempts.
 * Deliveries to paused targets are left out.
 */
export async function findLateDeliveries(
  db: Db,
  { lateMs, paused }: { lateMs: number; paused: readonly string[] },
): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    with recursive ${dueLanes}, late as materialized (
      select * from (select * from lanes limit ${maxLanes}) as examined
      where oldest_at < ${before(lateMs)} and lane <> all(${sql.val([...paused])}::text[])
    )
    select (select count(*) from (select 1 from late join deliveries d on d.lane = late.lane
        where d.state = 'due' and d.next_attempt_at < ${before(lateMs)}
        limit ${maxFindingCount}) as counted)::int as count,
      (select min(oldest_at) from late) as "oldestAt"
  `.execute(db)
  return rows[0] ?? { count: 0, oldestAt: null }
}

/** Submissions that have been due for longer than `lateMs` and that no sender attempts. */
export function findLateSubmissions(db: Db, lateMs: number): Promise<Backlog> {
  return readBacklog(
    db,
    sql`select next_attempt_at as at from outbox
      where state = 'queued' and next_attempt_at < ${before(lateMs)}
        and coalesce(lease_until <= now(), true)
      order by next_attempt_at`,
  )
}

/** Exports that failed in the last `withinMs`, with the end of the oldest of them. */
export function findFailedExports(db: Db, withinMs: number): Promise<Backlog> {
  return readBacklog(
    db,
    // The condition on all ended states is the condition of the partial index `exports_ended`.
    sql`select finished_at as at from exports
      where status in ('completed', 'failed', 'cancelled') and status = 'failed'
        and finished_at >= ${before(withinMs)}`,
  )
}

async function readBacklog(db: Db, rowsAt: ReturnType<typeof sql>): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select count(*)::int as count, min(at) as "oldestAt"
    from (${rowsAt} limit ${maxFindingCount}) as entries
  `.execute(db)
  return rows[0] ?? { count: 0, oldestAt: null }
}

/** Webhook target with deliveries that failed recently. */
export interface FailingTarget {
  /** URL of the webhook target without login and query. */
  lane: string
  failed: number
  oldestAt: Date
  /** Outcome of the last attempt of the target's latest failed webhook delivery. */
  lastOutcome: string | null
}

/**
 * Webhook targets with the most deliveries that failed in the last `withinMs` and were not
 * replayed. Considers the latest 10,000 failed deliveries.
 */
export async function findFailingTargets(
  db: Db,
  { withinMs, limit }: { withinMs: number; limit: number },
): Promise<FailingTarget[]> {
  const { rows } = await sql<FailingTarget>`
    with failed as materialized (
      select lane, finished_at, last_outcome from deliveries
      where state = 'failed' and replayed_at is null and finished_at >= ${before(withinMs)}
      order by finished_at desc limit ${maxFindingCount}
    ), targets as (
      select lane, count(*)::int as failed, min(finished_at) as oldest,
        (array_agg(last_outcome order by finished_at desc))[1] as last_outcome
      from failed group by lane order by failed desc, lane limit ${limit}
    )
    select lane, failed, oldest as "oldestAt", last_outcome as "lastOutcome"
    from targets order by failed desc, lane
  `.execute(db)
  return rows
}

/**
 * Work queues (submissions, webhook deliveries) that operators have paused, with the time of the
 * pause.
 */
export function listPausedQueues(db: Db) {
  return db.selectFrom('pausedQueues').select(['queue', 'pausedAt']).orderBy('queue').execute()
}

/** Numbers of accounts by state. An account that no worker has connected yet is not counted. */
export async function countStates(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*)::int as count from account_states group by state
  `.execute(db)
  return new Map(rows.map(({ state, count }) => [state, count]))
}

/** Targets of webhooks other than the default target. */
export interface OtherTargets {
  /** True if an enabled webhook route exists. */
  routes: boolean
  /** True if an account has a webhook target. False if the accounts were not searched. */
  accounts: boolean
}

/**
 * Checks for webhook targets other than the default target. Searches the accounts, which are all
 * read if none has a target, only if `searchesAccounts` is true.
 */
export async function findOtherTargets(db: Db, searchesAccounts: boolean): Promise<OtherTargets> {
  const { rows } = await sql<OtherTargets>`
    select exists (select 1 from webhook_routes where enabled) as routes,
      ${searchesAccounts}::boolean and exists (select 1 from accounts where webhooks is not null) as accounts
  `.execute(db)
  return rows[0] ?? { routes: false, accounts: false }
}

/** Reads the clock of the Postgres server. */
export async function readPostgresClock(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}

function before(ms: number) {
  return sql`now() - make_interval(secs => ${ms / 1_000})`
}
