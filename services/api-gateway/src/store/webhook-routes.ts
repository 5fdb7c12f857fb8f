import type { Db, Tx, WebhookRoutes } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

export function routeNotFound(): AppError {
  return new AppError('not-found', 'The webhook route was not found', { code: 'NotFound' })
}

const timesApplied = sql<number>`(
  select coalesce(sum(c.count), 0)::float8 from webhook_route_counts c where c.route = webhook_routes.id
)`
const errorFlag = sql<string | null>`(
  select s.error_flag from webhook_route_states s where s.route = webhook_routes.id
)`

function withState(db: Db) {
  return db
    .selectFrom('webhookRoutes')
    .select(['id', 'name', 'description', 'targetUrl', 'enabled', 'customHeaders'])
    .select(['createdAt', 'updatedAt', timesApplied.as('tcount'), errorFlag.as('errorFlag')])
}

export function findRoute(db: Db, id: string) {
  return withState(db).select(['filter', 'map', 'version']).where('id', '=', id).executeTakeFirst()
}
export type RouteRow = NonNullable<Awaited<ReturnType<typeof findRoute>>>

/** One page of the routes, the oldest first, and how many there are. */
export async function listRoutes(db: Db, { page, pageSize }: { page: number; pageSize: number }) {
  const { total } = await db
    .selectFrom('webhookRoutes')
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const rows = await withState(db)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(pageSize)
    .offset(page * pageSize)
    .execute()
  return { total, rows }
}
export type RouteListRow = Awaited<ReturnType<typeof listRoutes>>['rows'][number]

/** The route as stored, locked until the transaction ends. */
export function lockRoute(tx: Tx, id: string) {
  return tx
    .selectFrom('webhookRoutes')
    .select(['targetUrl', 'customHeaders'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}
export type LockedRoute = NonNullable<Awaited<ReturnType<typeof lockRoute>>>

export async function insertRoute(db: Db, route: Insertable<WebhookRoutes>): Promise<void> {
  await db.insertInto('webhookRoutes').values(route).execute()
}

export type RouteColumns = Partial<
  Pick<
    Insertable<WebhookRoutes>,
    'name' | 'description' | 'targetUrl' | 'enabled' | 'customHeaders' | 'filter' | 'map'
  >
>

export async function updateRoute(tx: Tx, id: string, columns: RouteColumns): Promise<void> {
  await tx
    .updateTable('webhookRoutes')
    .set({ ...columns, version: sql<number>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** False where there is none. */
export async function deleteRoute(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhookRoutes')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The last times that its functions failed, the newest first; undefined where there is no such route. */
export async function listRouteErrors(db: Db, id: string, limit: number) {
  const route = await db
    .selectFrom('webhookRoutes')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!route) return undefined
  return db
    .selectFrom('webhookRouteErrors')
    .select(['createdAt', 'function', 'reason', 'event', 'account', 'eventId'])
    .where('route', '=', id)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
