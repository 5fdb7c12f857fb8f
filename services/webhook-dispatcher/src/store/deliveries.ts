import { textArray, type Tx } from '@posthorn/db'
import { sql } from 'kysely'
import type { PendingEvent } from './events.ts'

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

/** Webhook delivery to insert. */
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

/** Columns of an inserted webhook delivery that the insertion determines. */
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
 * account forever. `d`: alias of the table `deliveries` in the statement.
 */
export const ordered = (d: string) =>
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
