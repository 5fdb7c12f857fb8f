import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sql } from 'kysely'

/** Exclusive right to work on the accounts of a shard, until another holder raises its epoch. */
export interface Lease {
  readonly shard: number
  /** Id of the worker. */
  readonly owner: string
  readonly epoch: string
}

export interface AccountLease extends Lease {
  readonly account: string
}

/**
 * Runs a transaction under the lease: a worker that claims the shard, or a deletion of the account,
 * waits for its end, and later transactions are rejected. Every write about an account uses it.
 *
 * @throws AppError `stale` if the shard has another owner or epoch, or the account was deleted.
 *   Nothing was stored; stop working on the account.
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

export function staleLeaseError({ shard, account }: AccountLease): AppError {
  return new AppError('stale', `The lease of shard ${shard} is lost, or ${account} is deleted`)
}

async function assertLease(tx: Tx, lease: AccountLease): Promise<void> {
  const { shard, owner, epoch, account } = lease
  // The timeout frees the shard if this process stops in the middle of the transaction.
  const { rows } = await sql`
    select set_config('idle_in_transaction_session_timeout', '10s', true)
    from shards join account_states on account_states.account = ${account}
    where shards.shard = ${shard} and shards.owner = ${owner}::uuid
      and shards.epoch = ${epoch}::bigint
    for share of shards for no key update of account_states
  `.execute(tx)
  if (rows.length === 0) throw staleLeaseError(lease)
}
