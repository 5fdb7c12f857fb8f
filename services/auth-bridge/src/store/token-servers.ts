import { type Destination, destinationOf } from '@posthorn/contracts/schemas/destination'
import type { Accounts, Db } from '@posthorn/db'
import type { Selectable } from 'kysely'

type ServerColumns = Pick<Selectable<Accounts>, 'imap' | 'smtp' | 'proxy'>

/** Mail servers of an account that get its access token: servers without a login of their own. */
export function tokenServersOf({ imap, smtp, proxy }: ServerColumns): Destination[] {
  return [imap, smtp].flatMap((server) =>
    !server || server.auth || server.useAuthServer ? [] : [destinationOf(server, { proxy })],
  )
}

export async function findTokenServers(db: Db, account: string): Promise<Destination[]> {
  const row = await db
    .selectFrom('accounts')
    .select(['imap', 'smtp', 'proxy'])
    .where('account', '=', account)
    .executeTakeFirst()
  return row ? tokenServersOf(row) : []
}

/**
 * Replaces a sealed (encrypted) OAuth2 grant by the same grant with a binding (limit of its use),
 * unless the stored grant has changed meanwhile.
 */
export async function replaceGrant(
  db: Db,
  account: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await db
    .updateTable('credentials')
    .set({ sealed: to })
    .where('account', '=', account)
    .where('kind', '=', 'oauth2')
    .where('sealed', '=', from)
    .execute()
}
