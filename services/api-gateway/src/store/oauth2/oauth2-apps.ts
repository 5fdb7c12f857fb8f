import { oauth2ProvidersThat } from '@posthorn/contracts/account-types'
import {
  type Db,
  type OAuth2Apps,
  type OAuth2AppSecrets,
  type PageRequest,
  readPage,
  type Tx,
} from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

export type AppSecretKind = OAuth2AppSecrets['kind']

function appNotFound(): AppError {
  return new AppError('not-found', 'The OAuth2 application was not found', { code: 'NotFound' })
}

const secretKinds = sql<AppSecretKind[]>`array(
  select kind from oauth2_app_secrets s where s.app = oauth2_apps.id
)`
const accountCount = sql<number>`(
  select count(*)::int from accounts where accounts.oauth2 ->> 'provider' = oauth2_apps.id
)`

function withState(db: Db) {
  return db
    .selectFrom('oauth2Apps')
    .leftJoin('oauth2AppStates', 'oauth2AppStates.app', 'oauth2Apps.id')
    .leftJoin('pubsubStates', 'pubsubStates.app', 'oauth2Apps.id')
    .select(['id', 'provider', 'name', 'enabled', 'config', 'createdAt'])
    .select(['oauth2Apps.updatedAt', 'oauth2AppStates.lastError', secretKinds.as('secrets')])
    .select('pubsubStates.lastError as pubSubFailure')
}

/** Gets an OAuth2 application with its number of accounts. @throws AppError `not-found` */
export function getApp(db: Db, id: string) {
  return withState(db)
    .select(accountCount.as('accounts'))
    .where('oauth2Apps.id', '=', id)
    .executeTakeFirstOrThrow(appNotFound)
}

/**
 * Requests and quota units that an OAuth2 application used at mail APIs per day, latest day first.
 */
export async function listAppUses(db: Db, app: string) {
  const rows = await db
    .selectFrom('oauth2AppUses')
    .select(['requests', 'units', 'limited', sql<string>`day::text`.as('date')])
    .where('app', '=', app)
    .orderBy('day', 'desc')
    .execute()
  return rows.map(({ date, requests, units, limited }) => ({
    date,
    requests: Number(requests),
    units: Number(units),
    limited: Number(limited),
  }))
}

/** One page of the OAuth2 applications, oldest first, and the number of all applications. */
export function listApps(db: Db, page: PageRequest) {
  return readPage(withState(db).orderBy('createdAt').orderBy('id'), page)
}
/** One page of the OAuth2 applications for Pub/Sub, oldest first, and their total number. */
export function listPubSubStates(db: Db, page: PageRequest) {
  const apps = withState(db).where(sql`config ->> 'baseScopes'`, '=', 'pubsub')
  return readPage(apps.orderBy('createdAt').orderBy('id'), page)
}

export type AppListRow = Awaited<ReturnType<typeof listApps>>['rows'][number]

/**
 * Locks the row of an OAuth2 application until the transaction ends.
 *
 * @throws AppError `not-found`
 */
export function lockApp(tx: Tx, id: string) {
  return tx
    .selectFrom('oauth2Apps')
    .select(['id', 'provider', 'name', 'enabled', 'config', secretKinds.as('secrets')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(appNotFound)
}
export type LockedApp = Awaited<ReturnType<typeof lockApp>>

/** Finds an OAuth2 application and locks it against deletion until the transaction ends. */
export function lockAppForAccount(tx: Tx, id: string) {
  return tx
    .selectFrom('oauth2Apps')
    .select(['id', 'provider', 'config'])
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
}
export type AppForAccount = NonNullable<Awaited<ReturnType<typeof lockAppForAccount>>>

export type AppColumns = Pick<Insertable<OAuth2Apps>, 'name' | 'enabled' | 'config'>

export async function insertApp(
  tx: Tx,
  app: AppColumns & Pick<Insertable<OAuth2Apps>, 'id' | 'provider'>,
): Promise<boolean> {
  const insert = tx.insertInto('oauth2Apps').values(app)
  const result = await insert.onConflict((id) => id.column('id').doNothing()).executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function updateApp(tx: Tx, id: string, columns: AppColumns): Promise<void> {
  await tx
    .updateTable('oauth2Apps')
    .set({ ...columns, version: sql<string>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * Deletes an OAuth2 application with its secrets. Returns the number of accounts that still refer
 * to the application.
 *
 * @throws AppError `not-found`
 */
export async function deleteApp(db: Db, id: string): Promise<number> {
  const row = await db
    .deleteFrom('oauth2Apps')
    .where('id', '=', id)
    .returning(accountCount.as('accounts'))
    .executeTakeFirstOrThrow(appNotFound)
  return row.accounts
}

/**
 * Context with which an OAuth2 application's secret is sealed (encrypted). The secret can be
 * unsealed for its row only.
 */
export function appSecretSealContext(app: string, kind: AppSecretKind): string {
  return `oauth2/${app}/${kind}`
}

/**
 * Stores a sealed (encrypted) secret of an OAuth2 application. The update repeats the secret,
 * because the Postgres role cannot read `excluded`.
 */
export async function upsertAppSecret(
  tx: Tx,
  { app, kind, sealed }: Pick<OAuth2AppSecrets, 'app' | 'kind' | 'sealed'>,
): Promise<void> {
  await tx
    .insertInto('oauth2AppSecrets')
    .values({ app, kind, sealed })
    .onConflict((conflict) =>
      conflict.columns(['app', 'kind']).doUpdateSet({ sealed, updatedAt: new Date() }),
    )
    .execute()
}

/** OAuth2 application that the hosted form offers for signing in. */
export interface SignInOffer extends AppForAccount {
  title: string
  /**
   * True if the first page of the hosted form lists the OAuth2 application. Otherwise only a form
   * link can select the application.
   */
  listed: boolean
}

const withConsent = oauth2ProvidersThat(({ login }) => login === 'consent')

/** Enabled OAuth2 applications to which users consent, ordered by title. */
export function listSignInOffers(db: Db): Promise<SignInOffer[]> {
  return db
    .selectFrom('oauth2Apps')
    .select([
      'id',
      'provider',
      'config',
      sql<string>`coalesce(nullif(config ->> 'title', ''), name)`.as('title'),
      sql<boolean>`coalesce((config ->> 'includeInListing')::boolean, false)`.as('listed'),
    ])
    .where('enabled', '=', true)
    .where('provider', 'in', withConsent)
    .orderBy('title')
    .orderBy('id')
    .execute()
}
