import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** A route that is switched on. */
export interface Route {
  id: string
  version: number
  url: string
  headers: { key: string; value: string }[]
  filter: string | null
  map: string | null
}

/** The routes at one moment. The stamp is another one after every change. */
export interface RouteSnapshot {
  version: string
  routes: readonly Route[]
}

export async function readRoutesVersion(db: Db): Promise<string> {
  const { stamp } = await db
    .selectFrom('webhookRoutesStamp')
    .select('stamp')
    .executeTakeFirstOrThrow()
  return stamp
}

export async function readRoutes(db: Db): Promise<RouteSnapshot> {
  const { rows } = await sql<Omit<Route, 'id'> & { id: string | null; stamp: string }>`
    select s.stamp, r.id, r.version, r.target_url as url, r.custom_headers as headers, r.filter, r.map
    from webhook_routes_stamp s left join webhook_routes r on r.enabled order by r.created_at, r.id
  `.execute(db)
  const routes = rows.flatMap(({ stamp: _stamp, id, ...route }) =>
    id === null ? [] : [{ id, ...route }],
  )
  return { version: rows[0]?.stamp ?? '', routes }
}
