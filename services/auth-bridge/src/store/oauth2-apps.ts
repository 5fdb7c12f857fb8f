import type { LastError } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

export type AppSecret = 'clientSecret' | 'serviceKey' | 'externalAccount'

/** Where a secret of an application belongs: it opens at no other place. */
export function placeOfAppSecret(app: string, kind: AppSecret): string {
  return `oauth2/${app}/${kind}`
}

/** An application with its secrets, sealed. Undefined where there is none of that id. */
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
export type StoredApp = NonNullable<Awaited<ReturnType<typeof findApp>>>

/** Puts down what is wrong with an application, for its operator; nothing where it was deleted meanwhile. */
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

/** The application works, as far as the provider is concerned. */
export async function markAppWell(db: Db, app: string): Promise<void> {
  await db
    .updateTable('oauth2AppStates')
    .set({ lastError: null, updatedAt: new Date() })
    .where('app', '=', app)
    .where('lastError', 'is not', null)
    .execute()
}
