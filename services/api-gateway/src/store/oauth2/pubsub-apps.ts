import { type Db, isNotifiedByTopic, notifiedAccountsOf } from '@posthorn/db'
import { sql } from 'kysely'

/** OAuth2 application for Pub/Sub. */
export interface PubSubApp {
  id: string
  /**
   * Address of the service account of the OAuth2 application. Null if no service account is
   * configured.
   */
  email: string | null
  /** OAuth2 applications whose accounts get notifications through this Pub/Sub application. */
  linked: string[]
}

/** Lists the enabled OAuth2 applications for Pub/Sub. */
export function listPubSubApps(db: Db): Promise<PubSubApp[]> {
  return db
    .selectFrom('oauth2Apps as app')
    .select([
      'app.id',
      sql<string | null>`app.config ->> 'serviceClientEmail'`.as('email'),
      sql<string[]>`array(
        select linked.id from oauth2_apps linked where linked.config ->> 'pubSubApp' = app.id
      )`.as('linked'),
    ])
    .where('app.enabled', '=', true)
    .where(sql`app.config ->> 'baseScopes'`, '=', 'pubsub')
    .orderBy('app.id')
    .execute()
}

/** Maximum accounts that are notified when one mailbox changes. */
const maxAccounts = 100

/**
 * Finds the accounts of a mailbox, by its mail address in lower case, that use the given OAuth2
 * applications.
 */
export async function findAccountsOfUser(
  db: Db,
  apps: readonly string[],
  user: string,
): Promise<string[]> {
  const isApplication = sql`any(${apps}::text[])`
  const rows = await db
    .selectFrom('accounts')
    .select('account')
    .where('account', 'in', notifiedAccountsOf(isApplication, [user]))
    .where(sql`oauth2 ->> 'provider'`, '=', isApplication)
    .where(isNotifiedByTopic)
    .orderBy('account')
    .limit(maxAccounts)
    .execute()
  return rows.map(({ account }) => account)
}

/** State of an OAuth2 application for Pub/Sub; null if no worker has used the application yet. */
export function findPubSubState(db: Db, app: string) {
  return db
    .selectFrom('oauth2Apps')
    .leftJoin('pubsubStates', 'pubsubStates.app', 'oauth2Apps.id')
    .select(['enabled', 'pubsubStates.state', 'pubsubStates.lastError'])
    .where('oauth2Apps.id', '=', app)
    .where(sql`config ->> 'baseScopes'`, '=', 'pubsub')
    .executeTakeFirst()
}
