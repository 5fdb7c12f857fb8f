import { type Db, readSettings } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { sql } from 'kysely'

/**
 * Maximum expired rows, such as webhook deliveries, that one delete statement of the retention
 * deletes.
 */
const limit = 5_000
/**
 * Time for which the statistics counters per minute, such as counts of events, are kept. Statistics
 * cover one week; one day more is for the first, incomplete day.
 */
const keepCountersDays = 8
const keepAttemptsDays = 7
const keepReplaysDays = 30
const dayMs = 86_400_000

export interface RetentionConfig {
  /** Retention of events without open webhook deliveries, in days. */
  keepEventDays: number
  keepDeliveredMs: number
  keepFailedMs: number
}

/**
 * Runs the retention of the webhook-dispatcher: creates and drops table partitions of events, and
 * deletes expired rows. Idempotent.
 */
export function runRetention(db: Db, config: RetentionConfig, log: Logger) {
  const { keepEventDays, keepDeliveredMs } = config
  return async (signal: AbortSignal): Promise<void> => {
    const { webhooksKeepFailedDays, webhooksAttemptLogDays = keepAttemptsDays } =
      await readSettings(db)
    const keepFailedMs =
      webhooksKeepFailedDays === undefined ? config.keepFailedMs : webhooksKeepFailedDays * dayMs
    const deleted = await deleteInBatches(signal, () =>
      deleteFinished(db, { keepDeliveredMs, keepFailedMs }),
    )
    await deleteInBatches(signal, () => deleteAttempts(db, webhooksAttemptLogDays))
    await deleteEndedReplays(db)
    const dropped = await rotatePartitions(db, keepEventDays)
    await deleteOrphanedRouteStates(db)
    await deleteOldCounters(db, keepCountersDays)
    if (deleted > 0 || dropped > 0)
      log.info({ deleted, dropped }, 'deleted expired deliveries and events')
  }
}

async function deleteInBatches(signal: AbortSignal, run: () => Promise<number>): Promise<number> {
  let deleted = 0
  let last = limit
  while (last === limit && !signal.aborted) {
    last = await run()
    deleted += last
  }
  return deleted
}

/**
 * Deletes up to `limit` webhook deliveries that ended longer ago than their retention. Returns the
 * number of deleted deliveries.
 */
async function deleteFinished(
  db: Db,
  { keepDeliveredMs, keepFailedMs }: Omit<RetentionConfig, 'keepEventDays'>,
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

/**
 * Deletes up to `limit` lines of the log of webhook attempts that are older than `keepDays`.
 * Returns the number of deleted lines.
 */
async function deleteAttempts(db: Db, keepDays: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_attempts where ctid in (
      select ctid from webhook_attempts
      where ended_at < now() - make_interval(secs => ${keepDays * 86_400}) limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes replays (of failed webhook deliveries) that ended more than `keepReplaysDays` ago. */
async function deleteEndedReplays(db: Db): Promise<void> {
  await sql`
    delete from webhook_replays
    where state = 'done' and finished_at < now() - make_interval(days => ${keepReplaysDays})
  `.execute(db)
}

/**
 * Creates the table partitions for events of the next days and drops table partitions older than
 * `keepDays` whose events are all finished. Returns the number of dropped table partitions.
 */
async function rotatePartitions(db: Db, keepDays: number): Promise<number> {
  await sql`select ensure_event_partitions()`.execute(db)
  const { rows } = await sql<{ dropped: number }>`
    select drop_event_partitions(${keepDays}::integer) as dropped
  `.execute(db)
  return rows[0]?.dropped ?? 0
}

/** Deletes statistics of webhook routes that no longer exist. */
async function deleteOrphanedRouteStates(db: Db): Promise<void> {
  for (const table of ['webhookRouteCounts', 'webhookRouteStates', 'webhookRouteErrors'] as const)
    await db
      .deleteFrom(table)
      .where('route', 'not in', (routes) => routes.selectFrom('webhookRoutes').select('id'))
      .execute()
}

/**
 * Deletes statistics counters (such as counts of events per minute) older than `keepDays`. Merges
 * the slots of the counters of each completed minute.
 */
export async function deleteOldCounters(db: Db, keepDays: number): Promise<void> {
  await sql`
    delete from stat_counters where minute < now() - make_interval(days => ${keepDays})
  `.execute(db)
  await sql`
    delete from oauth2_app_uses
    where day <= (now() at time zone 'utc')::date - ${keepDays}::integer
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
