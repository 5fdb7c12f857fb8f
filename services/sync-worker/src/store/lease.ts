import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type RawBuilder, sql } from 'kysely'

/**
 * Exclusive right to work on the accounts of a shard (group of accounts). The lease ends when
 * another worker raises the epoch (claim number) of the shard.
 */
export interface Lease {
  readonly shard: number
  /** Id of the worker that holds the lease. */
  readonly owner: string
  readonly epoch: string
}

export interface AccountLease extends Lease {
  readonly account: string
}

/**
 * Runs a transaction under the lease of an account. A worker that claims the shard, or a deletion
 * of the account, waits for the end of the transaction, and later transactions are rejected. Every
 * write about an account uses `withLease`.
 *
 * @throws AppError `stale` if the shard has another owner or epoch, or the account was deleted.
 * Nothing was stored; the caller must stop working on the account.
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
  // If this process stops during the transaction, Postgres ends the transaction after this timeout
  // and releases the locks on the shard.
  const { rows } = await sql`
    select set_config('idle_in_transaction_session_timeout', '10s', true)
    from shards join account_states on account_states.account = ${account}
    where shards.shard = ${shard} and shards.owner = ${owner}::uuid
      and shards.epoch = ${epoch}::bigint
    for share of shards for no key update of account_states
  `.execute(tx)
  if (rows.length === 0) throw staleLeaseError(lease)
}

/**
 * SQL fragment that selects the valid leases among some leases. The rows `input` contain each lease
 * with one value, and are joined with the rows of shards that still have the owner and epoch of the
 * lease.
 */
export function validLeases(
  leases: readonly AccountLease[],
  values: RawBuilder<unknown> = sql`null::text[]`,
): RawBuilder<unknown> {
  const column = <T>(pick: (lease: AccountLease) => T) => sql.val(leases.map(pick))
  return sql`unnest(
      ${column(({ account }) => account)}::text[], ${values},
      ${column(({ shard }) => shard)}::smallint[], ${column(({ owner }) => owner)}::uuid[],
      ${column(({ epoch }) => epoch)}::bigint[]
    ) as input (account, value, shard, owner, epoch)
    join shards on shards.shard = input.shard and shards.owner = input.owner
      and shards.epoch = input.epoch`
}
