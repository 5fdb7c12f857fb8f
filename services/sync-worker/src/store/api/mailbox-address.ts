import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Mail addresses of an account at a mail API. Undefined if the account was deleted. */
export function findAddresses(db: Db, account: string) {
  return db
    .selectFrom('accounts')
    .innerJoin('accountStates', 'accountStates.account', 'accounts.account')
    .select(['expectedEmail', 'mailboxAddress'])
    .select(
      sql<string | null>`coalesce(
        oauth2 -> 'auth' ->> 'delegatedUser', oauth2 -> 'auth' ->> 'user', email
      )`.as('user'),
    )
    .where('accounts.account', '=', account)
    .executeTakeFirst()
}

/**
 * Content of the last leaf (block of messages) of an account's stored message index. Undefined
 * without an index.
 */
export async function findLastLeaf(db: Db, account: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('apiLeaves')
    .select('content')
    .where('account', '=', account)
    .where('part', '=', '')
    .where('messages', '>', 0)
    .orderBy('low', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.content
}

/**
 * Stores the mail address of an account's mailbox, null if the address equals the login name. Also
 * adds the address to `account_changes`. Requires the account's lease.
 */
export async function saveMailboxAddress(
  tx: Tx,
  { account, address }: { account: string; address: string | null },
  reported: string,
): Promise<void> {
  await tx
    .updateTable('accountStates')
    .set({ mailboxAddress: address })
    .where('account', '=', account)
    .execute()
  await tx
    .insertInto('accountChanges')
    .values({ account, type: 'address', key: reported })
    .execute()
}
