import { sql } from 'kysely'
import type { Db } from './connect.ts'
import type { MailProxies } from './tables/mail-proxies.ts'

/** Report of a replica of imap-proxy or smtp-proxy about its own state. */
export type MailProxyReport = Omit<MailProxies, 'reportedAt'>

/**
 * Age of the last report from which a replica of a mail proxy counts as lost. Six reports are due
 * in this time, so that a short outage of Postgres hides no running replica.
 */
export const mailProxyExpiryMs = 60_000

/** Stores the report of a replica of imap-proxy or smtp-proxy. Replaces its previous report. */
export async function reportMailProxy(db: Db, report: MailProxyReport): Promise<void> {
  const { id: _id, service: _service, hostName: _hostName, ...state } = report
  await db
    .insertInto('mailProxies')
    .values(report)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ ...state, reportedAt: sql<Date>`now()` }),
    )
    .execute()
}

/** Removes the report of a replica of imap-proxy or smtp-proxy that stops. */
export async function removeMailProxy(db: Db, id: string): Promise<void> {
  await db.deleteFrom('mailProxies').where('id', '=', id).execute()
}

/**
 * Removes the reports of lost replicas of imap-proxy and smtp-proxy, such as those of killed
 * processes. Skips rows that another replica is changing, so that replicas never wait for each
 * other.
 */
export async function removeLostMailProxies(db: Db): Promise<void> {
  await db
    .deleteFrom('mailProxies')
    .where('id', 'in', (query) =>
      query
        .selectFrom('mailProxies')
        .select('id')
        .where(
          'reportedAt',
          '<',
          sql<Date>`now() - make_interval(secs => ${mailProxyExpiryMs / 1_000})`,
        )
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}
