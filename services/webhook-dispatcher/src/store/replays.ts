import { parseDate } from '@posthorn/contracts/formats'
import type { Db, ReplayFilter, Tx } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** Maximum failed webhook deliveries that one transaction replays. */
const batchSize = 500

/**
 * Creates the task that carries out requested replays of failed webhook deliveries, in batches of
 * one transaction each. After a crash another process continues; no delivery is replayed twice.
 * `onReplayed` is called when new deliveries are due.
 */
export function runReplays(db: Db, onReplayed: () => void) {
  return async (signal: AbortSignal): Promise<void> => {
    let isPending = true
    while (isPending && !signal.aborted) {
      const replayed = await replayBatch(db)
      isPending = replayed !== undefined
      if (replayed !== undefined && replayed > 0) onReplayed()
    }
  }
}

/**
 * Replays one batch of failed deliveries. Returns the number of replayed webhook deliveries, or
 * undefined if no replay is pending.
 */
function replayBatch(db: Db): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    const replay = await lockPendingReplay(tx)
    if (!replay) return undefined
    if (!replay.started) await beginReplay(tx, replay)
    const replayed = await replayFailed(tx, replay, batchSize)
    if (replayed < batchSize) await endReplay(tx, replay)
    return replayed
  })
}

/** Unfinished replay of failed webhook deliveries, locked until the end of the transaction. */
interface LockedReplay {
  id: string
  filter: ReplayFilter
  /**
   * Time of the replay request as text of the column, with microseconds, which a JavaScript date
   * would lose.
   */
  createdAt: string
  started: boolean
}

/**
 * Locks the oldest unfinished replay of failed webhook deliveries that no other process works on.
 */
async function lockPendingReplay(tx: Tx): Promise<LockedReplay | undefined> {
  const { rows } = await sql<LockedReplay>`
    select id, filter, created_at::text as "createdAt", state = 'running' as started
    from webhook_replays
    where state <> 'done' order by created_at limit 1 for update skip locked
  `.execute(tx)
  return rows[0]
}

/**
 * Marks a replay of failed webhook deliveries as running and stores the number of matching
 * deliveries, for the progress of the replay.
 */
async function beginReplay(tx: Tx, replay: LockedReplay): Promise<void> {
  await sql`
    update webhook_replays set state = 'running', started_at = now(),
      total = (select count(*) from deliveries d where ${matchesReplay(replay)})
    where id = ${replay.id}::uuid
  `.execute(tx)
}

/**
 * Inserts new webhook deliveries for up to `limit` failed deliveries of a replay, oldest failure
 * first, and marks the failed deliveries, so that no delivery is replayed twice. Returns the number
 * of new deliveries.
 */
async function replayFailed(tx: Tx, replay: LockedReplay, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with matching as materialized (
      select d.id from deliveries d where ${matchesReplay(replay)}
      order by d.finished_at limit ${limit} for update
    ), marked as (
      update deliveries d set replayed_at = now() from matching where d.id = matching.id
      returning d.id, d.event_id, d.event_row, d.event_date, d.event, d.account, d.target, d.lane,
        d.body
    ), inserted as (
      insert into deliveries
        (id, event_id, event_row, event_date, event, account, target, lane, body, replay_of)
      select gen_random_uuid(), event_id, event_row, event_date, event, account, target, lane, body,
        id from marked
      returning 1
    )
    update webhook_replays set replayed = replayed + (select count(*) from inserted)
    where id = ${replay.id}::uuid
    returning (select count(*) from inserted)::integer as count
  `.execute(tx)
  return rows[0]?.count ?? 0
}

async function endReplay(tx: Tx, { id }: LockedReplay): Promise<void> {
  await sql`
    update webhook_replays set state = 'done', finished_at = now() where id = ${id}::uuid
  `.execute(tx)
}

/**
 * SQL condition of a replay for webhook deliveries that failed before the replay was requested and
 * were not replayed.
 */
function matchesReplay({ filter, createdAt }: LockedReplay): RawBuilder<unknown> {
  const { id, target, address, event, account, outcome, since, until } = filter
  const conditions = [
    sql`d.state = 'failed' and d.replayed_at is null`,
    sql`d.finished_at <= ${createdAt}::timestamptz`,
    id !== undefined && sql`d.id = ${id}::uuid`,
    target !== undefined && sql`d.target = ${target}`,
    address !== undefined && sql`d.lane = ${address}`,
    event !== undefined && sql`d.event = ${event}`,
    account !== undefined && sql`d.account = ${account}`,
    outcome !== undefined && sql`d.last_outcome = ${outcome}`,
    since !== undefined && sql`d.finished_at >= ${parseDate(since)}::timestamptz`,
    until !== undefined && sql`d.finished_at < ${parseDate(until)}::timestamptz`,
  ]
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` and `,
  )
}
