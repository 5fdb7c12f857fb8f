import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { AccountLease } from './lease.ts'

export interface ConnectionCount extends AccountLease {
  connections: number
}

/** Stores how many connections accounts have: of those whose shards are still held under the epochs named. */
export async function saveConnections(db: Db, counts: readonly ConnectionCount[]): Promise<void> {
  const column = <T>(pick: (count: ConnectionCount) => T) => sql.val(counts.map(pick))
  await sql`
    update account_states set connections = given.connections
    from unnest(
      ${column(({ account }) => account)}::text[], ${column(({ connections }) => connections)}::integer[],
      ${column(({ shard }) => shard)}::smallint[], ${column(({ owner }) => owner)}::uuid[], ${column(({ epoch }) => epoch)}::bigint[]
    ) as given (account, connections, shard, owner, epoch)
    join shards on shards.shard = given.shard and shards.owner = given.owner and shards.epoch = given.epoch
    where account_states.account = given.account and account_states.connections <> given.connections
  `.execute(db)
}
