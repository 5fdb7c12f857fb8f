import { type Db, type Gateways, type PageRequest, readPage, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

export function gatewayNotFound(gateway: string): AppError {
  return new AppError('not-found', `Gateway "${gateway}" was not found`)
}

const hasPassword = sql<boolean>`exists (
  select from gateway_credentials where gateway_credentials.gateway = gateways.gateway
)`

function withState(db: Db) {
  return db
    .selectFrom('gateways')
    .leftJoin('gatewayStates', 'gatewayStates.gateway', 'gateways.gateway')
    .select(['gateways.gateway', 'name', 'gatewayStates.deliveries'])
    .select(['gatewayStates.lastUse', 'gatewayStates.lastError'])
}

/** Gets an SMTP gateway with its counters. @throws AppError `not-found` */
export function getGateway(db: Db, gateway: string) {
  return withState(db)
    .select(['host', 'port', 'secure', 'username', hasPassword.as('hasPassword')])
    .where('gateways.gateway', '=', gateway)
    .executeTakeFirstOrThrow(() => gatewayNotFound(gateway))
}

/** One page of the SMTP gateways, ordered by id, and the number of all gateways. */
export function listGateways(db: Db, page: PageRequest) {
  return readPage(withState(db).orderBy('gateways.gateway'), page)
}
export type GatewayListRow = Awaited<ReturnType<typeof listGateways>>['rows'][number]

/** Locks the row of an SMTP gateway until the transaction ends. */
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

/**
 * Inserts an SMTP gateway. Undefined if a gateway with the id exists, or if a concurrent
 * transaction commits one first.
 */
export function insertGateway(tx: Tx, gateway: GatewayColumns & { gateway: string }) {
  // The version of a new gateway is the current time, so that no SMTP session is reused that
  // belongs to a deleted gateway with the same id.
  const version = sql<string>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
  return tx
    .insertInto('gateways')
    .values({ ...gateway, version })
    .onConflict((conflict) => conflict.column('gateway').doNothing())
    .returning('gateway')
    .executeTakeFirst()
}

/** Changes an SMTP gateway and increments its version, by which SMTP sessions detect the change. */
export async function updateGateway(tx: Tx, gateway: string, columns: GatewayColumns) {
  await tx
    .updateTable('gateways')
    .set({ ...columns, version: sql<string>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('gateway', '=', gateway)
    .execute()
}

/**
 * Deletes an SMTP gateway with its password and counters.
 *
 * @throws AppError `not-found`
 */
export async function deleteGateway(db: Db, gateway: string): Promise<void> {
  await db
    .deleteFrom('gateways')
    .where('gateway', '=', gateway)
    .returning('gateway')
    .executeTakeFirstOrThrow(() => gatewayNotFound(gateway))
}

/**
 * Context with which a gateway password is sealed (encrypted). The password can be unsealed for its
 * row only.
 */
export function gatewayPasswordSealContext(gateway: string): string {
  return `gateways/${gateway}`
}

/**
 * Stores a sealed (encrypted) gateway password. The update repeats the password, because the
 * Postgres role cannot read `excluded`.
 */
export async function upsertGatewayPassword(tx: Tx, gateway: string, sealed: string) {
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
