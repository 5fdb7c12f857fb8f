import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { type ClaimOwner, ordered } from './deliveries.ts'
import type { PendingEvent } from './events.ts'

export interface NewDelivery {
  id: string
  event: PendingEvent
  target: string
  lane: string
  /** Taken by this process as it is made. Else it is due, for whoever has room. */
  claimed: boolean
  /** What is sent, where it is not the event's own body. */
  body: string | null
}

/** A delivery that is a row now. */
export interface InsertedDelivery {
  queuedAt: Date
  claimed: boolean
}

/**
 * Stores deliveries and returns those that are new. One known already, by event and target, is left as it is. Only what follows nothing
 * that others hold, or nobody, is claimed: first attempts of an account at a target keep the order of its events, whichever
 * processes die or take over.
 */
export async function insertDeliveries(
  tx: Tx,
  deliveries: readonly NewDelivery[],
  { id: self, leaseMs }: ClaimOwner,
): Promise<Map<string, InsertedDelivery>> {
  if (deliveries.length === 0) return new Map()
  const column = <T>(pick: (delivery: NewDelivery) => T) => sql.val(deliveries.map(pick))
  const { rows } = await sql<{ id: string } & InsertedDelivery>`
    with given as materialized (
      select * from unnest(
        ${column(({ id }) => id)}::uuid[], ${column(({ event }) => event.eventId)}::uuid[], ${column(({ event }) => event.id)}::bigint[],
        ${column(({ event }) => event.date)}::timestamptz[], ${column(({ event }) => event.event)}::text[],
        ${column(({ event }) => event.account)}::text[], ${column(({ target }) => target)}::text[],
        ${column(({ lane }) => lane)}::text[], ${column(({ claimed }) => claimed)}::boolean[],
        ${column(({ body }) => body)}::text[]
      ) as d (id, event_id, event_row, event_date, event, account, target, lane, wanted, body)
    ), following as materialized (
      select c.account, c.lane from (select distinct account, lane from given where wanted) c
      cross join lateral (
        select 1 from deliveries o where o.account = c.account and o.lane = c.lane and ${ordered('o')} and o.claim is distinct from ${self}::uuid
        order by o.event_row limit 1
      ) before
    )
    insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, body, claim, next_attempt_at)
    select id, event_id, event_row, event_date, event, account, target, lane, body,
      case when claimed then ${self}::uuid end,
      case when claimed then now() + make_interval(secs => ${leaseMs / 1000}) else clock_timestamp() end
    from (
      select g.*, g.wanted and f.account is null as claimed
      from given g left join following f on f.account = g.account and f.lane = g.lane
    ) d
    order by event_row
    on conflict (event_id, target) where replay_of is null do nothing
    returning id, queued_at as "queuedAt", claim is not null as claimed
  `.execute(tx)
  return new Map(rows.map(({ id, ...made }) => [id, made]))
}
