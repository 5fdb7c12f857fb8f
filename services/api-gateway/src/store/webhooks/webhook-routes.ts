import { type Db, type PageRequest, readPage, type Tx, type WebhookRoutes } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

function routeNotFound(): AppError {
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
    .select(['id', 'name', 'description', 'targetUrl', 'enabled', 'customHeaders', 'expiresAt'])
    .select(['createdAt', 'updatedAt', timesApplied.as('tcount'), errorFlag.as('errorFlag')])
}

/** Gets a webhook route with its functions. @throws AppError `not-found` */
export function getRoute(db: Db, id: string) {
  return withState(db)
    .select(['filter', 'map', 'version'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(routeNotFound)
}

/** One page of the webhook routes, oldest first, and the number of all routes. */
export function listRoutes(db: Db, page: PageRequest) {
  return readPage(withState(db).orderBy('createdAt').orderBy('id'), page)
}
export type RouteListRow = Awaited<ReturnType<typeof listRoutes>>['rows'][number]

/**
 * Locks the row of a webhook route until the transaction ends.
 *
 * @throws AppError `not-found`
 */
export function lockRoute(tx: Tx, id: string) {
  return tx
    .selectFrom('webhookRoutes')
    .select(['targetUrl', 'customHeaders'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(routeNotFound)
}
export type LockedRoute = Awaited<ReturnType<typeof lockRoute>>

export async function insertRoute(db: Db, route: Insertable<WebhookRoutes>): Promise<boolean> {
  const insert = db.insertInto('webhookRoutes').values(route)
  const result = await insert.onConflict((id) => id.column('id').doNothing()).executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export type RouteColumns = Partial<
  Pick<
    Insertable<WebhookRoutes>,
    | 'name'
    | 'description'
    | 'targetUrl'
    | 'enabled'
    | 'customHeaders'
    | 'filter'
    | 'map'
    | 'expiresAt'
  >
>

export async function updateRoute(tx: Tx, id: string, columns: RouteColumns): Promise<void> {
  await tx
    .updateTable('webhookRoutes')
    .set({ ...columns, version: sql<number>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Deletes a webhook route. @throws AppError `not-found` */
export async function deleteRoute(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('webhookRoutes')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirstOrThrow(routeNotFound)
}

/**
 * Deletes the webhook routes whose time has ended. Returns their ids. Without such a route nothing
 * is written, because each write makes the webhook-dispatchers read all routes.
 */
export async function deleteExpiredRoutes(db: Db): Promise<string[]> {
  const expired = sql<boolean>`expires_at <= now()`
  const rows = await db.selectFrom('webhookRoutes').select('id').where(expired).execute()
  if (rows.length === 0) return []
  const deleted = await db.deleteFrom('webhookRoutes').where(expired).returning('id').execute()
  return deleted.map(({ id }) => id)
}

/**
 * Latest failures of a webhook route's filter and map functions, newest first.
 *
 * @throws AppError `not-found`
 */
export async function listRouteErrors(db: Db, id: string, limit: number) {
  await db
    .selectFrom('webhookRoutes')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow(routeNotFound)
  return db
    .selectFrom('webhookRouteErrors')
    .select(['createdAt', 'function', 'reason', 'event', 'account', 'eventId'])
    .where('route', '=', id)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
