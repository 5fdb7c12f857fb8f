import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Adds to how often routes have been applied. Each partition has its own counters, so that they never wait for each other here. */
export async function countApplied(
  tx: Tx,
  applied: ReadonlyMap<string, number>,
  partition: number,
): Promise<void> {
  if (applied.size === 0) return
  await sql`
    insert into webhook_route_counts (route, slot, count)
    select route, ${partition}::smallint, count
    from unnest(${[...applied.keys()]}::text[], ${[...applied.values()]}::bigint[]) as a (route, count) order by route
    on conflict (route, slot) do update set count = webhook_route_counts.count + excluded.count
  `.execute(tx)
}

/** A function of a route that failed. */
export interface RouteFailure {
  route: string
  function: 'filter' | 'map'
  reason: string
  event: string
  account: string
  eventId: string
}

/** Keeps failures, and of each route the last ones only. */
export async function insertRouteErrors(
  db: Db,
  failures: readonly RouteFailure[],
  kept: number,
): Promise<void> {
  if (failures.length === 0) return
  await db
    .insertInto('webhookRouteErrors')
    .values([...failures])
    .execute()
  await sql`
    delete from webhook_route_errors e
    using unnest(${[...new Set(failures.map(({ route }) => route))]}::text[]) as r (route)
    where e.route = r.route and e.id <= (
      select last.id from webhook_route_errors last where last.route = r.route order by last.id desc offset ${kept} limit 1
    )
  `.execute(db)
}

/** Sets what the targets of routes said last; null: they took what they were given. */
export async function setErrorFlags(
  db: Db,
  flags: ReadonlyMap<string, string | null>,
): Promise<void> {
  const flagged = [...flags].filter(([, flag]) => flag !== null)
  if (flagged.length > 0)
    await sql`
      insert into webhook_route_states (route, error_flag)
      select route, flag from unnest(${flagged.map(([route]) => route)}::text[], ${flagged.map(([, flag]) => flag)}::text[]) as f (route, flag)
      order by route
      on conflict (route) do update set error_flag = excluded.error_flag, updated_at = now()
    `.execute(db)
  const cleared = [...flags].flatMap(([route, flag]) => (flag === null ? [route] : []))
  if (cleared.length > 0)
    await db.deleteFrom('webhookRouteStates').where('route', 'in', cleared).execute()
}

/** While webhooks are off nobody can say what is wrong with a target: what was wrong before does not stand any more. */
export async function clearFlagsWhileOff(db: Db): Promise<void> {
  await sql`
    delete from webhook_route_states
    where exists (select 1 from settings where key = 'webhooksEnabled' and value = 'false')
  `.execute(db)
}

/** Deletes what is kept of routes that are gone. */
export async function deleteOrphanedRouteStates(db: Db): Promise<void> {
  for (const table of ['webhookRouteCounts', 'webhookRouteStates', 'webhookRouteErrors'] as const)
    await db
      .deleteFrom(table)
      .where('route', 'not in', (routes) => routes.selectFrom('webhookRoutes').select('id'))
      .execute()
}
