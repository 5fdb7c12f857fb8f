import { type Db, dueLanes } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Milliseconds until the next webhook delivery is due or the next claim of a delivery expires.
 * Negative if a delivery is due now. Deliveries of paused lanes (queues of one target each) are
 * left out.
 */
export async function findNextDueMs(
  db: Db,
  paused: readonly string[] = [],
): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    with recursive ${dueLanes}
    select (extract(epoch from ${firstDueAt(paused)} - now()) * 1000)::double precision as ms
  `.execute(db)
  return rows[0]?.ms ?? undefined
}

/**
 * SQL expression for the earliest next attempt of the webhook deliveries in state `due`, except of
 * the excluded lanes (queues of one target each). At most `maxLanes` lanes are examined. The
 * statement must define `lanes`.
 */
function firstDueAt(excluded: readonly string[], maxLanes?: number) {
  if (excluded.length === 0)
    return sql`(select min(next_attempt_at) from deliveries where state = 'due')`
  return sql`(select min(oldest_at)
    from (select * from lanes limit ${maxLanes ?? null}::integer) as examined
    where lane <> all(${sql.val([...excluded])}::text[]))`
}

/** Number of webhook deliveries in state `due`, counted up to `limit` to bound the cost. */
export async function countDue(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    select count(*)::integer as due
    from (select 1 from deliveries where state = 'due' limit ${limit}) d
  `.execute(db)
  return rows[0]?.due ?? 0
}

/**
 * Maximum lanes (queues of one webhook target each) that are examined for the oldest due delivery
 * while targets are paused or suspended. The limit bounds the cost.
 */
const maxExaminedLanes = 10_000

/**
 * Age in seconds of the oldest due webhook delivery to a target that is not blocked (paused or
 * suspended); 0 without such a delivery. Deliveries in flight are not due.
 */
export async function findOldestDueSeconds(db: Db, blocked: readonly string[]): Promise<number> {
  const oldestAt = firstDueAt(blocked, maxExaminedLanes)
  const { rows } = await sql<{ seconds: number | null }>`
    with recursive ${dueLanes}
    select extract(epoch from now() - ${oldestAt})::double precision as seconds
  `.execute(db)
  return Math.max(0, rows[0]?.seconds ?? 0)
}
