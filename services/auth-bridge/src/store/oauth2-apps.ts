import type { LastError } from '@posthorn/contracts/schemas/account'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

type AppSecret = 'clientSecret' | 'serviceKey' | 'externalAccount'

/**
 * Seal context of an OAuth2 application's secret: the storage place to which the encrypted secret
 * is bound.
 */
export function appSecretSealContext(app: string, kind: AppSecret): string {
  return `oauth2/${app}/${kind}`
}

/** Finds an OAuth2 application with its sealed (encrypted) secrets. Undefined for an unknown id. */
export async function findApp(db: Db, id: string) {
  const app = await db
    .selectFrom('oauth2Apps')
    .select(['id', 'provider', 'enabled', 'config'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!app) return undefined
  const secrets = await db
    .selectFrom('oauth2AppSecrets')
    .select(['kind', 'sealed'])
    .where('app', '=', id)
    .execute()
  return { ...app, secrets }
}

/**
 * Stores the last error of an OAuth2 application, for its operator. Does nothing if the application
 * was deleted.
 */
export async function markAppFailed(db: Db, app: string, lastError: LastError): Promise<void> {
  const value = JSON.stringify(lastError)
  await db
    .insertInto('oauth2AppStates')
    .columns(['app', 'lastError'])
    .expression((from) =>
      from
        .selectFrom('oauth2Apps')
        .select(['id', sql<string>`${value}::jsonb`.as('lastError')])
        .where('id', '=', app),
    )
    .onConflict((conflict) =>
      conflict.column('app').doUpdateSet({ lastError: value, updatedAt: new Date() }),
    )
    .execute()
}

/**
 * Clears the last error of an OAuth2 application, after the provider has accepted the application.
 */
export async function clearAppError(db: Db, app: string): Promise<void> {
  await db
    .updateTable('oauth2AppStates')
    .set({ lastError: null, updatedAt: new Date() })
    .where('app', '=', app)
    .where('lastError', 'is not', null)
    .execute()
}
