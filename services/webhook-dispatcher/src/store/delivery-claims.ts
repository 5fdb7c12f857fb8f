import { type Db, dueLanes } from '@posthorn/db'
import { sql } from 'kysely'
import { type ClaimedDelivery, type ClaimOwner, ordered } from './deliveries.ts'
import { maxInlineBody } from './events.ts'

/** Maximum webhook deliveries that one poll claims, per lane and overall. */
export interface ClaimLimits {
  /** Maximum webhook deliveries of one lane (queue of one target address) that a poll claims. */
  perLane: number
  /** Maximum webhook deliveries of all targets that a poll claims. */
  overall: number
  /**
   * Lanes (queues of one webhook target each) whose maximum of claimed deliveries differs from
   * `perLane`.
   */
  capacities: ReadonlyMap<string, number>
}

/**
 * Delay of a webhook delivery that must wait for an earlier delivery, which another process holds.
 */
const deferSeconds = 0.5

/**
 * Claims due webhook deliveries in the order of their events. First attempts that would overtake an
 * ordered delivery of another process are deferred.
 */
export async function claimDueDeliveries(
  db: Db,
  { id: owner, leaseMs }: ClaimOwner,
  limits: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive ${dueRows(limits)}, preceding as materialized (
      select c.*, earlier.event_row from (select distinct account, lane from due where ordered) c
      cross join lateral (
        select o.event_row from deliveries o
        where o.account = c.account and o.lane = c.lane and ${ordered('o')}
          and o.claim is distinct from ${owner}::uuid and o.id not in (select id from due)
        order by o.event_row limit 1
      ) earlier
    ), claimed as (
      update deliveries d set
        claim = case when taken then ${owner}::uuid end,
        next_attempt_at = now() + make_interval(secs => case when taken
          then ${leaseMs / 1000}::double precision else ${deferSeconds}::double precision end)
      from (
        select due.id, due.ordered,
          not due.ordered or p.event_row is null or p.event_row >= due.event_row as taken
        from due left join preceding p on p.account = due.account and p.lane = due.lane
      ) due
      where d.id = due.id
      returning taken, ordered, d.id, d.event_id, d.event_row, d.event_date, d.event, d.account,
        d.target, d.lane, d.attempts, d.queued_at, d.body is not null as mapped,
        case when octet_length(d.body) <= ${maxInlineBody} then d.body end as body
    )
    select c.id, c.event_id as "eventId", c.event_row as "eventRow",
      c.event_date::text as "eventDate", c.event, c.account, c.target, c.lane, c.attempts,
      c.queued_at as "queuedAt", case when c.mapped then c.body else e.body end as body,
      e.account_target as "accountTarget", c.ordered
    from claimed c left join lateral (
      select case when octet_length(e.body) <= ${maxInlineBody} then e.body end as body,
        e.account_target
      from events e where e.id = c.event_row and e.date = c.event_date limit 1
    ) e on true
    where c.taken
    order by c.event_row
  `.execute(db)
  return rows
}

/**
 * Query that locks due webhook deliveries, up to the capacity of each lane (queue of one target
 * address). Reads lane by lane, so that a lane with a million due rows does not hide the other
 * lanes.
 */
function dueRows({ perLane, overall, capacities }: ClaimLimits) {
  const limited = sql`
    select * from unnest(${[...capacities.keys()]}::text[], ${[...capacities.values()]}::integer[])
  `
  return sql`${dueLanes}, due as materialized (
      select picked.* from lanes
      left join (${limited}) as limited (lane, capacity) on limited.lane = lanes.lane
      cross join lateral (
        select d.id, d.account, d.lane, d.event_row, ${ordered('d')} as ordered from deliveries d
        where d.state = 'due' and d.lane = lanes.lane and d.next_attempt_at <= now()
        order by d.next_attempt_at, d.event_row
        limit least(coalesce(limited.capacity, ${perLane}::integer), ${perLane}::integer)
        for update skip locked
      ) picked
      limit ${overall}
    )`
}

/**
 * Renews claims of webhook deliveries, except of deliveries that another process has claimed.
 * Locked rows are skipped, and the next renewal includes these rows. Waiting for a locked row while
 * other rows are locked could deadlock with statements that lock in another order.
 */
export async function renewClaims(
  db: Db,
  ids: readonly string[],
  { id: owner, leaseMs }: ClaimOwner,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update deliveries set next_attempt_at = now() + make_interval(secs => ${leaseMs / 1000})
    where id in (
      select id from deliveries
      where id = any(${ids}::uuid[]) and claim = ${owner}::uuid and state = 'due'
      for update skip locked
    )
  `.execute(db)
}
