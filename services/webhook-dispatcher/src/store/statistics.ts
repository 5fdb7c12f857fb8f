import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import type { PendingEvent } from './events.ts'

/**
 * Counts events per account and per minute. Runs in the transaction that marks the events as fanned
 * out, so that each event is counted once. Partitions (groups of accounts) never wait for each
 * other to count events: an account belongs to one partition, and each partition has its own slot
 * of the minute counters.
 */
export async function countEvents(
  tx: Tx,
  events: readonly Pick<PendingEvent, 'account' | 'event'>[],
  partition: number,
): Promise<void> {
  if (events.length === 0) return
  const accounts = events.map(({ account }) => account)
  const names = events.map(({ event }) => event)
  await sql`
    with input as (
      select account, event, count(*) as count
      from unnest(${accounts}::text[], ${names}::text[]) as e (account, event) group by 1, 2
    ), per_account as (
      insert into account_event_counts (account, event, count)
      select account, event, count from input
      -- the other accounts were deleted
      where account in (select account from accounts where account = any(${accounts}::text[]))
      order by account, event
      on conflict (account, event)
        do update set count = account_event_counts.count + excluded.count
    )
    insert into stat_counters (minute, key, slot, value)
    select date_trunc('minute', now()), 'events:' || event, ${partition}::smallint, sum(count)
    from input group by 2 order by 2
    on conflict (minute, key, slot) do update set value = stat_counters.value + excluded.value
  `.execute(tx)
}

/**
 * True if counting the events of a fan-out (creation of webhook deliveries) failed because an
 * account was deleted during the transaction.
 */
export function isDeletedAccountError(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23503' && constraint === 'account_event_counts_account_fkey'
}

/**
 * Adds to the number of deliveries per webhook route. Each partition (group of accounts) has its
 * own slot of the counters, so that partitions do not wait for each other.
 */
export async function countApplied(
  tx: Tx,
  applied: ReadonlyMap<string, number>,
  partition: number,
): Promise<void> {
  if (applied.size === 0) return
  await sql`
    insert into webhook_route_counts (route, slot, count)
    select route, ${partition}::smallint, count
    from unnest(${[...applied.keys()]}::text[], ${[...applied.values()]}::bigint[])
      as a (route, count)
    order by route
    on conflict (route, slot) do update set count = webhook_route_counts.count + excluded.count
  `.execute(tx)
}

/** Failure of a function (filter or map) of a webhook route. */
export interface RouteFailure {
  route: string
  function: 'filter' | 'map'
  reason: string
  event: string
  account: string
  eventId: string
}

/**
 * Inserts failures of the functions of webhook routes and deletes all but the last `maxPerRoute`
 * failures of each route.
 */
export async function insertRouteErrors(
  db: Db,
  failures: readonly RouteFailure[],
  maxPerRoute: number,
): Promise<void> {
  if (failures.length === 0) return
  await db
    .insertInto('webhookRouteErrors')
    .values([...failures])
    .execute()
  const routes = [...new Set(failures.map(({ route }) => route))]
  await sql`
    delete from webhook_route_errors e using unnest(${routes}::text[]) as r (route)
    where e.route = r.route and e.id <= (
      select last.id from webhook_route_errors last where last.route = r.route
      order by last.id desc offset ${maxPerRoute} limit 1
    )
  `.execute(db)
}

/**
 * Sets the error flags of webhook routes, which show the last failure of a route's target; null
 * clears the flag after a success.
 */
export async function setErrorFlags(
  db: Db,
  flags: ReadonlyMap<string, string | null>,
): Promise<void> {
  const flagged = [...flags].filter(([, flag]) => flag !== null)
  const routes = flagged.map(([route]) => route)
  if (flagged.length > 0)
    await sql`
      insert into webhook_route_states (route, error_flag)
      select route, flag
      from unnest(${routes}::text[], ${flagged.map(([, flag]) => flag)}::text[]) as f (route, flag)
      order by route
      on conflict (route) do update set error_flag = excluded.error_flag, updated_at = now()
    `.execute(db)
  const cleared = [...flags].flatMap(([route, flag]) => (flag === null ? [route] : []))
  if (cleared.length > 0)
    await db.deleteFrom('webhookRouteStates').where('route', 'in', cleared).execute()
}

/**
 * Clears the error flags of all webhook routes while webhooks are disabled: without calls, no flag
 * is current.
 */
export async function clearFlagsWhileOff(db: Db): Promise<void> {
  await sql`
    delete from webhook_route_states
    where exists (select 1 from settings where key = 'webhooksEnabled' and value = 'false')
  `.execute(db)
}
