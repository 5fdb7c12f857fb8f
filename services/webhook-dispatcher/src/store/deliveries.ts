import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import { maxInlineBody, type PendingEvent } from './events.ts'

/** A delivery in this process's hands. */
export interface ClaimedDelivery {
  id: string
  eventId: string
  eventRow: string
  /** As Postgres writes it, see PendingEvent. */
  eventDate: string
  event: string
  account: string
  /** Which target it was made for: 'default', 'account', or a route's id. */
  target: string
  lane: string
  /** Begun so far. */
  attempts: number
  queuedAt: Date
  body: string | null
  accountTarget: PendingEvent['accountTarget']
  /** Its first attempt has its place in the order of its account's events. */
  ordered: boolean
}

/** Whose claim it is, and how long it holds. */
export interface ClaimOwner {
  id: string
  leaseMs: number
}

/**
 * Rows whose first attempt is to come before those of later events of their account and lane. A repeat is not one of them, nor is one
 * that was begun again and again and never ended: it would hold up its account for ever.
 */
export const ordered = (d: string) =>
  sql.raw(
    `${d}.state = 'due' and ${d}.last_outcome is null and ${d}.replay_of is null and ${d}.attempts < 3`,
  )

export interface ClaimLimits {
  /** Of one lane at most. */
  perLane: number
  overall: number
  /** Lanes that can take another number than `perLane`. */
  capacities: ReadonlyMap<string, number>
}

/** What waits for an earlier delivery that others hold is looked at again after this time. */
const deferSeconds = 0.5

/**
 * Takes due deliveries, of every lane that has any at most so many: one with a million due rows does not hide the others. The lanes are
 * found by stepping through the index from one to the next. First attempts that would overtake an earlier one of their account, which
 * another process holds, are put off a little.
 */
export async function claimDueDeliveries(
  db: Db,
  { id: self, leaseMs }: ClaimOwner,
  limits: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive lanes (lane) as (
      (select lane from deliveries where state = 'due' order by lane limit 1)
      union all
      select next.lane from lanes
      cross join lateral (select d.lane from deliveries d where d.state = 'due' and d.lane > lanes.lane order by d.lane limit 1) next
    ), due as materialized (
      select picked.id, picked.account, picked.lane, picked.event_row, picked.ordered from lanes
      left join unnest(${[...limits.capacities.keys()]}::text[], ${[...limits.capacities.values()]}::integer[]) as known (lane, room) on known.lane = lanes.lane
      cross join lateral (
        select d.id, d.account, d.lane, d.event_row, ${ordered('d')} as ordered from deliveries d
        where d.state = 'due' and d.lane = lanes.lane and d.next_attempt_at <= now()
        order by d.next_attempt_at, d.event_row
        limit least(coalesce(known.room, ${limits.perLane}::integer), ${limits.perLane}::integer)
        for update skip locked
      ) picked
      limit ${limits.overall}
    ), overtaken as materialized (
      select c.account, c.lane, before.event_row from (select distinct account, lane from due where ordered) c
      cross join lateral (
        select o.event_row from deliveries o
        where o.account = c.account and o.lane = c.lane and ${ordered('o')} and o.claim is distinct from ${self}::uuid
          and o.id not in (select id from due)
        order by o.event_row limit 1
      ) before
    ), claimed as (
      update deliveries d set
        claim = case when mine then ${self}::uuid end,
        next_attempt_at = now() + make_interval(secs => case when mine then ${leaseMs / 1000}::double precision else ${deferSeconds}::double precision end)
      from (
        select due.id, due.ordered, not due.ordered or o.event_row is null or o.event_row >= due.event_row as mine
        from due left join overtaken o on o.account = due.account and o.lane = due.lane
      ) due
      where d.id = due.id
      returning mine, ordered, d.id, d.event_id, d.event_row, d.event_date, d.event, d.account, d.target, d.lane, d.attempts, d.queued_at,
        case when octet_length(d.body) <= ${maxInlineBody} then d.body end as body, d.body is not null as mapped
    )
    select c.id, c.event_id as "eventId", c.event_row as "eventRow", c.event_date::text as "eventDate", c.event, c.account, c.target,
      c.lane, c.attempts, c.queued_at as "queuedAt", case when c.mapped then c.body else e.body end as body,
      e.account_target as "accountTarget", c.ordered
    from claimed c
    left join lateral (
      select case when octet_length(e.body) <= ${maxInlineBody} then e.body end as body, e.account_target from events e
      where e.id = c.event_row and e.date = c.event_date limit 1
    ) e on true
    where c.mine
    order by c.event_row
  `.execute(db)
  return rows
}

/**
 * Counts attempts before they are made: the next one after those the delivery is known to have had, so that counting twice counts
 * once. Returns the count for those whose claim is this process's and holds for `holdsMs` more at least (0: may have run out, as long
 * as nobody took it). The lease is left to `renewClaims`: an update of the count alone touches no index.
 */
export async function beginAttempts(
  db: Db,
  deliveries: readonly Pick<ClaimedDelivery, 'id' | 'attempts'>[],
  { self, holdsMs }: { self: string; holdsMs: number },
): Promise<Map<string, number>> {
  const ids = deliveries.map(({ id }) => id)
  const { rows } = await sql<{ id: string; attempts: number }>`
    update deliveries d set attempts = known.attempts + 1
    from unnest(${ids}::uuid[], ${deliveries.map(({ attempts }) => attempts)}::smallint[]) as known (id, attempts)
    where d.id = known.id and d.id = any(${ids}::uuid[]) and d.claim = ${self}::uuid and d.state = 'due'
      and (${holdsMs}::double precision = 0 or d.next_attempt_at > now() + make_interval(secs => ${holdsMs / 1000}))
    returning d.id, d.attempts
  `.execute(db)
  return new Map(rows.map(({ id, attempts }) => [id, attempts]))
}

/**
 * Keeps claims alive. Those that another process has taken over meanwhile stay as they are. A row that is being written is left to the
 * next renewal: waiting for it with others locked would be a deadlock with who writes both in another order.
 */
export async function renewClaims(
  db: Db,
  ids: readonly string[],
  { id: self, leaseMs }: ClaimOwner,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update deliveries set next_attempt_at = now() + make_interval(secs => ${leaseMs / 1000})
    where id in (
      select id from deliveries where id = any(${ids}::uuid[]) and claim = ${self}::uuid and state = 'due' for update skip locked
    )
  `.execute(db)
}

/** Milliseconds until the next delivery is due or the next claim runs out; negative when one is; undefined: there is none. */
export async function findNextDueMs(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(next_attempt_at) - now()) * 1000)::double precision as ms from deliveries where state = 'due'
  `.execute(db)
  return rows[0]?.ms ?? undefined
}

/** How many wait, counted as far as it is cheap: `limit` means "that many or more". */
export async function countDue(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    select count(*)::integer as due from (select 1 from deliveries where state = 'due' limit ${limit}) d
  `.execute(db)
  return rows[0]?.due ?? 0
}

/** Deletes up to `limit` deliveries that ended long enough ago. Returns how many. */
export async function deleteFinished(
  db: Db,
  {
    keepDeliveredMs,
    keepFailedMs,
    limit,
  }: { keepDeliveredMs: number; keepFailedMs: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from deliveries where id in (
      select id from deliveries
      where state <> 'due' and finished_at < now() - make_interval(secs => ${Math.min(keepDeliveredMs, keepFailedMs) / 1000})
        and ((state in ('delivered', 'dropped') and finished_at < now() - make_interval(secs => ${keepDeliveredMs / 1000}))
          or (state = 'failed' and finished_at < now() - make_interval(secs => ${keepFailedMs / 1000})))
      limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
