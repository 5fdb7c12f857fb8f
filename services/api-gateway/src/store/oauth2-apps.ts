import type { Db, OAuth2AppSecrets, OAuth2Apps, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'

export type AppSecretKind = OAuth2AppSecrets['kind']

export function appNotFound(): AppError {
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
    .select(['id', 'provider', 'name', 'enabled', 'config', 'createdAt'])
    .select(['oauth2Apps.updatedAt', 'oauth2AppStates.lastError', secretKinds.as('secrets')])
}

export function findApp(db: Db, id: string) {
  return withState(db)
    .select(accountCount.as('accounts'))
    .where('oauth2Apps.id', '=', id)
    .executeTakeFirst()
}
export type AppRow = NonNullable<Awaited<ReturnType<typeof findApp>>>

/** One page of the applications, the oldest first, and how many there are. */
export async function listApps(db: Db, { page, pageSize }: { page: number; pageSize: number }) {
  const { total } = await db
    .selectFrom('oauth2Apps')
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
export type AppListRow = Awaited<ReturnType<typeof listApps>>['rows'][number]

/** The application as stored, locked until the transaction ends. */
export function lockApp(tx: Tx, id: string) {
  return tx
    .selectFrom('oauth2Apps')
    .select(['id', 'provider', 'name', 'enabled', 'config', secretKinds.as('secrets')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** What registering an account needs to know of an application; held against its deletion until the transaction ends. */
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
): Promise<void> {
  await tx.insertInto('oauth2Apps').values(app).execute()
}

export async function updateApp(tx: Tx, id: string, columns: AppColumns): Promise<void> {
  await tx
    .updateTable('oauth2Apps')
    .set({ ...columns, version: sql<string>`version + 1`, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Deletes an application with its secrets; accounts that refer to it stay. The number of those, undefined where there is none. */
export async function deleteApp(db: Db, id: string): Promise<number | undefined> {
  const row = await db
    .deleteFrom('oauth2Apps')
    .where('id', '=', id)
    .returning(accountCount.as('accounts'))
    .executeTakeFirst()
  return row?.accounts
}

/** Where a secret of an application belongs: sealed for this place, it opens nowhere else. */
export function appSecretSealContext(app: string, kind: AppSecretKind): string {
  return `oauth2/${app}/${kind}`
}

/** Stores a secret, sealed. This service's role may write the column and not read it, so `excluded` is out of its reach. */
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
