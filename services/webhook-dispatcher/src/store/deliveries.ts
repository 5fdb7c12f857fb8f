import { type Db, dueLanes, textArray, type Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { maxInlineBody, type PendingEvent } from './events.ts'

/** Webhook delivery that this process has claimed. */
export interface ClaimedDelivery extends Pick<
  PendingEvent,
  'eventId' | 'eventRow' | 'eventDate' | 'event' | 'account' | 'body' | 'accountTarget'
> {
  id: string
  /** Name of the delivery's webhook target: `default`, `account`, or the id of a route. */
  target: string
  lane: string
  /** Number of started attempts of the webhook delivery. */
  attempts: number
  queuedAt: Date
  /**
   * True if the first attempt of the webhook delivery must precede first attempts of later events
   * of the same account to the same target address.
   */
  ordered: boolean
}

/** Process that claims webhook deliveries, and the duration of the claims. */
export interface ClaimOwner {
  id: string
  leaseMs: number
}

export interface NewDelivery {
  id: string
  event: PendingEvent
  target: string
  lane: string
  /**
   * True if this process claims the webhook delivery on insertion. Otherwise any process may claim
   * the delivery.
   */
  claimed: boolean
  /**
   * Body to send with the webhook delivery, if it differs from the body of the event. Null: the
   * body of the event.
   */
  body: string | null
}

export interface InsertedDelivery {
  queuedAt: Date
  claimed: boolean
}

/** True if the name of a webhook target is the id of a route. */
export function isRoute(target: string): boolean {
  return target !== 'default' && target !== 'account'
}

/**
 * SQL condition for ordered webhook deliveries, whose first attempts precede first attempts of
 * later events of the same account to the same target address. Excludes replays, and deliveries
 * whose attempts were started three times without a result: such deliveries would block their
 * account forever.
 */
const ordered = (d: string) =>
  sql.raw(
    `${d}.state = 'due' and ${d}.last_outcome is null` +
      ` and ${d}.replay_of is null and ${d}.attempts < 3`,
  )

/**
 * Inserts webhook deliveries and returns the inserted rows. An existing delivery of the same event
 * and target is unchanged. A delivery is claimed only if each earlier ordered delivery of its
 * account and target address belongs to this process. The condition keeps the order of first
 * attempts across crashes and replicas.
 */
export async function insertDeliveries(
  tx: Tx,
  deliveries: readonly NewDelivery[],
  { id: owner, leaseMs }: ClaimOwner,
): Promise<Map<string, InsertedDelivery>> {
  if (deliveries.length === 0) return new Map()
  const column = <T>(pick: (delivery: NewDelivery) => T) => sql.val(deliveries.map(pick))
  const bodies = textArray(deliveries.map(({ body }) => body))
  const { rows } = await sql<{ id: string } & InsertedDelivery>`
    with input as materialized (
      select * from unnest(
        ${column(({ id }) => id)}::uuid[], ${column(({ event }) => event.eventId)}::uuid[],
        ${column(({ event }) => event.eventRow)}::bigint[],
        ${column(({ event }) => event.eventDate)}::timestamptz[],
        ${column(({ event }) => event.event)}::text[],
        ${column(({ event }) => event.account)}::text[], ${column(({ target }) => target)}::text[],
        ${column(({ lane }) => lane)}::text[],
        ${column(({ claimed }) => claimed)}::boolean[], ${bodies}::text[]
      ) as d (id, event_id, event_row, event_date, event, account, target, lane, wanted, body)
    ), preceded as materialized (
      select c.account, c.lane from (select distinct account, lane from input where wanted) c
      cross join lateral (
        select 1 from deliveries o
        where o.account = c.account and o.lane = c.lane and ${ordered('o')}
          and o.claim is distinct from ${owner}::uuid
        order by o.event_row limit 1
      ) earlier
    )
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, body,
      claim, next_attempt_at)
    select id, event_id, event_row, event_date, event, account, target, lane, body,
      case when claimed then ${owner}::uuid end,
      case when claimed then now() + make_interval(secs => ${leaseMs / 1000})
        else clock_timestamp() end
    from (
      select i.*, i.wanted and p.account is null as claimed
      from input i left join preceded p on p.account = i.account and p.lane = i.lane
    ) d
    order by event_row
    on conflict (event_id, target) where replay_of is null do nothing
    returning id, queued_at as "queuedAt", claim is not null as claimed
  `.execute(tx)
  return new Map(rows.map(({ id, ...inserted }) => [id, inserted]))
}

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
