import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** The worker that holds the shard of an account. */
export async function findShardHolder(db: Db, account: string) {
  return db
    .selectFrom('accounts')
    .innerJoin('shards', 'shards.shard', 'accounts.shard')
    .innerJoin('workers', 'workers.id', 'shards.owner')
    .select(['workers.id', 'workers.proof'])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
}

/** Whether a sender has this message in hand, of that account or by that gateway. */
export async function hasInHand(
  db: Db,
  queueId: string,
  of: { account: string } | { gateway: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select(['account', 'gateway'])
    .where('queueId', '=', queueId)
    .where('state', '=', 'queued')
    .where('leaseUntil', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row) return false
  // A message that goes out by a gateway opens nobody's own server.
  return 'gateway' in of
    ? row.gateway === of.gateway
    : row.account === of.account && row.gateway === null
}

export async function hasSealedSetting(db: Db, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('sealedSettings')
    .select('key')
    .where('key', '=', key)
    .executeTakeFirst()
  return row !== undefined
}
