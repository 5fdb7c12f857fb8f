import { type Db, type MailProxies, mailProxyExpiryMs } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'

/** Running replica of a mail proxy, with its last report. */
export type MailProxyRow = Selectable<MailProxies>

/**
 * Lists the replicas of imap-proxy and smtp-proxy that have reported in the last minute, sorted by
 * service, host name and id.
 */
export async function listMailProxyRows(db: Db): Promise<MailProxyRow[]> {
  return await db
    .selectFrom('mailProxies')
    .select([
      'id',
      'service',
      'hostName',
      'listener',
      'port',
      'tls',
      'tlsPort',
      'error',
      'certificateNames',
      'certificateExpiresAt',
      'sessions',
      'reportedAt',
    ])
    .where(
      'reportedAt',
      '>=',
      sql<Date>`now() - make_interval(secs => ${mailProxyExpiryMs / 1_000})`,
    )
    .orderBy('service')
    .orderBy('hostName')
    .orderBy('id')
    .execute()
}
