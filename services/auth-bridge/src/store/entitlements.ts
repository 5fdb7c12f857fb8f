import type { SettingKey } from '@posthorn/contracts/settings/settings'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Finds the worker that holds the shard (group of accounts) of an account. */
export async function findShardHolder(db: Db, account: string) {
  return db
    .selectFrom('accounts')
    .innerJoin('shards', 'shards.shard', 'accounts.shard')
    .innerJoin('workers', 'workers.id', 'shards.owner')
    .select(['workers.id', 'workers.proof'])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
}

/**
 * True if a sender has leased the submission, and the submission belongs to the account or uses the
 * gateway (shared SMTP server).
 */
export async function isLeased(
  db: Db,
  queueId: string,
  through: { account: string } | { gateway: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select(['account', 'gateway'])
    .where('queueId', '=', queueId)
    .where('state', '=', 'queued')
    .where('leaseUntil', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row) return false
  // A sender with a submission through a gateway (shared SMTP server) does not get the credentials
  // of the account's own server.
  return 'gateway' in through
    ? row.gateway === through.gateway
    : row.account === through.account && row.gateway === null
}

/**
 * True if a sender holds the lease for removing the drafts that a submission of the account has
 * left.
 */
export async function isCleaningUp(db: Db, queueId: string, account: string): Promise<boolean> {
  const row = await db
    .selectFrom('draftCleanups')
    .select('queueId')
    .where('queueId', '=', queueId)
    .where('account', '=', account)
    .where('leaseUntil', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * True if exactly this address, such as a proxy URL, is stored in one of the settings. With
 * `ofAccounts`, also true if the address is stored as proxy of an account or a submission.
 */
export async function isAddressStored(
  db: Db,
  address: string,
  { settings, ofAccounts }: { settings: readonly SettingKey[]; ofAccounts: boolean },
): Promise<boolean> {
  const { rows } = await sql<{ stored: boolean }>`
    select exists (select from settings where key = any(${[...settings]}::text[]) and value #>> '{}' = ${address})
      or ${ofAccounts}::boolean and (
        exists (select from accounts where proxy = ${address}) or exists (select from outbox where proxy = ${address})
      ) as stored`.execute(db)
  return rows[0]?.stored === true
}
