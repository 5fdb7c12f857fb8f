import type { Db, ReplayFilter, Tx } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** A wish to repeat failed deliveries, locked until the transaction ends. */
export interface LockedReplay {
  id: string
  filter: ReplayFilter
  /** As Postgres writes it. */
  createdAt: string
  started: boolean
}

/** The oldest one that nobody works on. */
export async function lockPendingReplay(tx: Tx): Promise<LockedReplay | undefined> {
  const { rows } = await sql<LockedReplay>`
    select id, filter, created_at::text as "createdAt", state = 'running' as started from webhook_replays
    where state <> 'done' order by created_at limit 1 for update skip locked
  `.execute(tx)
  return rows[0]
}

/** Counts what it finds, once, so that progress can be told. */
export async function beginReplay(tx: Tx, replay: LockedReplay): Promise<void> {
  await sql`
    update webhook_replays set state = 'running', started_at = now(),
      total = (select count(*) from deliveries d where ${matchesReplay(replay)})
    where id = ${replay.id}::uuid
  `.execute(tx)
}

/**
 * Makes new deliveries of up to `limit` failed ones, those that failed first first, and marks these, so that none is repeated twice.
 * Returns how many.
 */
export async function replayFailed(tx: Tx, replay: LockedReplay, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with found as materialized (
      select d.id from deliveries d where ${matchesReplay(replay)} order by d.finished_at limit ${limit} for update
    ), marked as (
      update deliveries d set replayed_at = now() from found where d.id = found.id
      returning d.id, d.event_id, d.event_row, d.event_date, d.event, d.account, d.target, d.lane, d.body
    ), made as (
      insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, body, replay_of)
      select gen_random_uuid(), event_id, event_row, event_date, event, account, target, lane, body, id from marked
      returning 1
    )
    update webhook_replays set replayed = replayed + (select count(*) from made)
    where id = ${replay.id}::uuid
    returning (select count(*) from made)::integer as count
  `.execute(tx)
  return rows[0]?.count ?? 0
}

export async function endReplay(tx: Tx, { id }: LockedReplay): Promise<void> {
  await sql`
    update webhook_replays set state = 'done', finished_at = now() where id = ${id}::uuid
  `.execute(tx)
}

/** Deletes those that ended long ago. */
export async function deleteEndedReplays(db: Db, keepDays: number): Promise<void> {
  await sql`
    delete from webhook_replays where state = 'done' and finished_at < now() - make_interval(days => ${keepDays})
  `.execute(db)
}

/** What failed after the wish was made is not meant, nor what was repeated already. */
function matchesReplay({ filter, createdAt }: LockedReplay): RawBuilder<unknown> {
  const { id, target, address, event, account, outcome, since, until } = filter
  const conditions = [
    sql`d.state = 'failed' and d.replayed_at is null and d.finished_at <= ${createdAt}::timestamptz`,
    ...(id === undefined ? [] : [sql`d.id = ${id}::uuid`]),
    ...(target === undefined ? [] : [sql`d.target = ${target}`]),
    ...(address === undefined ? [] : [sql`d.lane = ${address}`]),
    ...(event === undefined ? [] : [sql`d.event = ${event}`]),
    ...(account === undefined ? [] : [sql`d.account = ${account}`]),
    ...(outcome === undefined ? [] : [sql`d.last_outcome = ${outcome}`]),
    ...(since === undefined ? [] : [sql`d.finished_at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`d.finished_at < ${until}::timestamptz`]),
  ]
  return sql.join(conditions, sql` and `)
}
