import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Failed function of a route. */
export interface RouteFailure {
  route: string
  function: 'filter' | 'map'
  reason: string
  event: string
  account: string
  eventId: string
}

/** Inserts failures and deletes all but the last `maxPerRoute` of their routes. */
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

/** Sets the last failure of the targets of routes; null clears it after a success. */
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

/** Clears all flags while webhooks are disabled: without calls, none of them is current. */
export async function clearFlagsWhileOff(db: Db): Promise<void> {
  await sql`
    delete from webhook_route_states
    where exists (select 1 from settings where key = 'webhooksEnabled' and value = 'false')
  `.execute(db)
}
