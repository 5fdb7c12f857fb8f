import type { OAuth2AppConfig } from '@posthorn/contracts/schemas/oauth2-app'
import { type Db, isNotifiedByTopic, notifiedAccountsOf } from '@posthorn/db'
import { sql } from 'kysely'

/** OAuth2 application that receives Pub/Sub notifications, without its secrets. */
export interface StoredPubSubApp {
  id: string
  config: OAuth2AppConfig
}

/** Lists the enabled OAuth2 applications that receive Pub/Sub notifications. */
export function listPubSubApps(db: Db): Promise<StoredPubSubApp[]> {
  return db
    .selectFrom('oauth2Apps')
    .select(['id', 'config'])
    .where('enabled', '=', true)
    .where(sql`config ->> 'baseScopes'`, '=', 'pubsub')
    .execute()
}

/** Finds the enabled Pub/Sub application to which an OAuth2 application is linked. */
export async function findPubSubAppOf(db: Db, app: string): Promise<StoredPubSubApp | undefined> {
  return db
    .selectFrom('oauth2Apps as linked')
    .innerJoin('oauth2Apps as pubsub', (join) =>
      join.on('pubsub.id', '=', sql<string>`linked.config ->> 'pubSubApp'`),
    )
    .select(['pubsub.id', 'pubsub.config'])
    .where('linked.id', '=', app)
    .where('pubsub.enabled', '=', true)
    .where(sql`pubsub.config ->> 'baseScopes'`, '=', 'pubsub')
    .executeTakeFirst()
}

const ofApp = (app: string) => sql<string>`any(array(
  select id from oauth2_apps where config ->> 'pubSubApp' = ${app}
))`

/**
 * Finds the accounts of mail addresses (in lower case). Considers accounts of the OAuth2
 * applications that are linked to the Pub/Sub application `app`.
 */
export async function findNotifiedAccounts(
  db: Db,
  app: string,
  users: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('account')
    .where('account', 'in', notifiedAccountsOf(ofApp(app), users))
    .where(sql`oauth2 ->> 'provider'`, '=', ofApp(app))
    .where(isNotifiedByTopic)
    .execute()
  return rows.map(({ account }) => account)
}

/**
 * Lists one page of the accounts of all OAuth2 applications that are linked to the Pub/Sub
 * application `app`. Sorted by account id.
 */
export async function listNotifiedAccounts(
  db: Db,
  app: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('account')
    .where(sql`oauth2 ->> 'provider'`, '=', ofApp(app))
    .where(isNotifiedByTopic)
    .where('account', '>', after)
    .orderBy('account')
    .limit(limit)
    .execute()
  return rows.map(({ account }) => account)
}

/** Stores the state of a Pub/Sub application. Skips a deleted application. */
export async function savePubSubState(
  db: Db,
  app: string,
  error: { response: string; description?: string } | null,
): Promise<void> {
  const state = error ? 'failed' : 'active'
  const lastError = error && JSON.stringify(error)
  await sql`
    insert into pubsub_states (app, state, last_error)
    select id, ${state}, ${lastError}::jsonb from oauth2_apps where id = ${app}
    on conflict (app) do update
      set state = excluded.state, last_error = excluded.last_error, updated_at = now()
  `.execute(db)
}
