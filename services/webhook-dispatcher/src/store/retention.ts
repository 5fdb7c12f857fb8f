import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Deletes up to `limit` deliveries that ended before their retention. Returns the number. */
export async function deleteFinished(
  db: Db,
  {
    keepDeliveredMs,
    keepFailedMs,
    limit,
  }: { keepDeliveredMs: number; keepFailedMs: number; limit: number },
): Promise<number> {
  const before = (ms: number) => sql`now() - make_interval(secs => ${ms / 1000})`
  const { numAffectedRows } = await sql`
    delete from deliveries where id in (
      select id from deliveries
      where state <> 'due' and finished_at < ${before(Math.min(keepDeliveredMs, keepFailedMs))}
        and ((state in ('delivered', 'dropped') and finished_at < ${before(keepDeliveredMs)})
          or (state = 'failed' and finished_at < ${before(keepFailedMs)}))
      limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes up to `limit` lines of the attempt log older than `keepDays`. Returns the number. */
export async function deleteAttempts(db: Db, keepDays: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_attempts where ctid in (
      select ctid from webhook_attempts
      where ended_at < now() - make_interval(secs => ${keepDays * 86_400}) limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes replays that ended more than `keepDays` ago. */
export async function deleteEndedReplays(db: Db, keepDays: number): Promise<void> {
  await sql`
    delete from webhook_replays
    where state = 'done' and finished_at < now() - make_interval(days => ${keepDays})
  `.execute(db)
}

/**
 * Creates the table partitions of the next days and drops those older than `keepDays` whose events
 * are all finished. Returns the number of dropped ones.
 */
export async function rotatePartitions(db: Db, keepDays: number): Promise<number> {
  await sql`select ensure_event_partitions()`.execute(db)
  const { rows } = await sql<{
    dropped: number
  }>`select drop_event_partitions(${keepDays}::integer) as dropped`.execute(db)
  return rows[0]?.dropped ?? 0
}

/** Deletes statistics of routes that no longer exist. */
export async function deleteOrphanedRouteStates(db: Db): Promise<void> {
  for (const table of ['webhookRouteCounts', 'webhookRouteStates', 'webhookRouteErrors'] as const)
    await db
      .deleteFrom(table)
      .where('route', 'not in', (routes) => routes.selectFrom('webhookRoutes').select('id'))
      .execute()
}

/** Deletes counters older than `keepDays` and merges the slots of each completed minute. */
export async function deleteOldCounters(db: Db, keepDays: number): Promise<void> {
  await sql`
    delete from stat_counters where minute < now() - make_interval(days => ${keepDays})
  `.execute(db)
  await sql`
    with merged as (
      delete from stat_counters where slot <> 0 and minute < now() - interval '5 minutes'
      returning minute, key, value
    )
    insert into stat_counters (minute, key, slot, value)
    select minute, key, 0, sum(value) from merged group by minute, key order by minute, key
    on conflict (minute, key, slot) do update set value = stat_counters.value + excluded.value
  `.execute(db)
}
