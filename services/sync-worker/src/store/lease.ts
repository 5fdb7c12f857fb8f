import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sql } from 'kysely'

/** The right to work on the accounts of one shard, until somebody else raises its epoch. */
export interface Lease {
  readonly shard: number
  /** The worker's id. */
  readonly owner: string
  readonly epoch: string
}

export interface AccountLease extends Lease {
  readonly account: string
}

/**
 * A transaction that counts only while the shard is ours and the account exists. Whoever takes the shard over, or deletes the account,
 * waits for its end; whatever comes after them is refused. Every write of this service about an account goes through here.
 *
 * @throws AppError `stale` when the shard has another owner or epoch by now, or the account is gone: stop, nothing was stored.
 */
export function withLease<T>(
  db: Db,
  lease: AccountLease,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await assertLease(tx, lease)
    return work(tx)
  })
}

async function assertLease(tx: Tx, { shard, owner, epoch, account }: AccountLease): Promise<void> {
  // A process that is paused in mid-transaction must not keep its lock, and thereby the shard, for longer than its heartbeat lasts.
  const { rows } = await sql`
    select set_config('idle_in_transaction_session_timeout', '10s', true)
    from shards join account_states on account_states.account = ${account}
    where shards.shard = ${shard} and shards.owner = ${owner}::uuid and shards.epoch = ${epoch}::bigint
    for share of shards for no key update of account_states
  `.execute(tx)
  if (rows.length === 0)
    throw new AppError('stale', `The lease of shard ${shard} is lost, or ${account} is deleted`)
}
