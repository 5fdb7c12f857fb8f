import type { Db, Gateways, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

export function gatewayNotFound(gateway: string): AppError {
  return new AppError('not-found', `Gateway "${gateway}" was not found`)
}

const hasPassword = sql<boolean>`exists (
  select from gateway_credentials where gateway_credentials.gateway = gateways.gateway
)`

const listColumns = [
  'gateways.gateway',
  'name',
  'gatewayStates.deliveries',
  'gatewayStates.lastUse',
  'gatewayStates.lastError',
] as const

function withState(db: Db) {
  return db
    .selectFrom('gateways')
    .leftJoin('gatewayStates', 'gatewayStates.gateway', 'gateways.gateway')
    .select(listColumns)
}

export function findGateway(db: Db, gateway: string) {
  return withState(db)
    .select(['host', 'port', 'secure', 'username', hasPassword.as('hasPassword')])
    .where('gateways.gateway', '=', gateway)
    .executeTakeFirst()
}
export type GatewayRow = NonNullable<Awaited<ReturnType<typeof findGateway>>>

/** One page of the gateways, by id, and how many there are. */
export async function listGateways(db: Db, { page, pageSize }: { page: number; pageSize: number }) {
  const { total } = await db
    .selectFrom('gateways')
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const rows = await withState(db)
    .orderBy('gateways.gateway')
    .limit(pageSize)
    .offset(page * pageSize)
    .execute()
  return { total, rows }
}
export type GatewayListRow = Awaited<ReturnType<typeof listGateways>>['rows'][number]

/** The gateway as stored, locked until the transaction ends. */
export function lockGateway(tx: Tx, gateway: string) {
  return tx
    .selectFrom('gateways')
    .select(['name', 'host', 'port', 'secure', 'username', hasPassword.as('hasPassword')])
    .where('gateway', '=', gateway)
    .forUpdate()
    .executeTakeFirst()
}
export type LockedGateway = NonNullable<Awaited<ReturnType<typeof lockGateway>>>

export type GatewayColumns = Pick<
  Insertable<Gateways>,
  'name' | 'host' | 'port' | 'secure' | 'username'
>

/** False when there is one of that id, or will be once a transaction at hand commits. */
export async function insertGateway(
  tx: Tx,
  gateway: GatewayColumns & { gateway: string },
): Promise<boolean> {
  // Versions start at the clock: sessions with one of that id that was deleted are not taken for sessions with this one.
  const version = sql<string>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('gateways')
    .values({ ...gateway, version })
    .onConflict((conflict) => conflict.column('gateway').doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Changes a gateway; sessions that run on what it was before know by the version. */
export async function updateGateway(
  tx: Tx,
  gateway: string,
  columns: GatewayColumns,
): Promise<void> {
  await tx
    .updateTable('gateways')
    .set({ ...columns, version: sql<string>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('gateway', '=', gateway)
    .execute()
}

/** Deletes a gateway with its password and counters. False where there is none. */
export async function deleteGateway(db: Db, gateway: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('gateways')
    .where('gateway', '=', gateway)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Where its password belongs: sealed for this place, it opens nowhere else. */
export function gatewayPasswordSealContext(gateway: string): string {
  return `gateways/${gateway}`
}

/** Stores a password, sealed. This service's role may write the column and not read it, so `excluded` is out of its reach. */
export async function upsertGatewayPassword(
  tx: Tx,
  gateway: string,
  sealed: string,
): Promise<void> {
  await tx
    .insertInto('gatewayCredentials')
    .values({ gateway, sealed })
    .onConflict((conflict) =>
      conflict.column('gateway').doUpdateSet({ sealed, updatedAt: new Date() }),
    )
    .execute()
}

export async function deleteGatewayPassword(tx: Tx, gateway: string): Promise<void> {
  await tx.deleteFrom('gatewayCredentials').where('gateway', '=', gateway).execute()
}
