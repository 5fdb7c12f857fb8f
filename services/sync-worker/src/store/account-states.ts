import { createHash } from 'node:crypto'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { type AccountLease, validLeases } from './lease.ts'

// Columns of `account_states` outside the account status: connection counts, sync times, mailbox
// numbers and stored mailbox paths.

export interface ConnectionCount extends AccountLease {
  connections: number
}

/**
 * Stores the number of connections of each account to its mail server. Skips accounts without a
 * valid lease.
 */
export async function saveConnections(db: Db, counts: readonly ConnectionCount[]): Promise<void> {
  const connections = sql.val(counts.map((count) => count.connections))
  await sql`
    update account_states set connections = input.value
    from ${validLeases(counts, sql`${connections}::integer[]`)}
    where account_states.account = input.account and account_states.connections <> input.value
  `.execute(db)
}

export interface SyncTime extends AccountLease {
  at: Date
}

/**
 * Stores the times of the last syncs of accounts, unless a later time is stored. Skips accounts
 * without a valid lease.
 */
export async function saveSyncTimes(db: Db, times: readonly SyncTime[]): Promise<void> {
  const values = sql.val(times.map(({ at }) => at.toISOString()))
  await sql`
    update account_states set sync_time = input.value
    from ${validLeases(times, sql`${values}::timestamptz[]`)}
    where account_states.account = input.account
      and (account_states.sync_time is null or account_states.sync_time < input.value)
  `.execute(db)
}

/**
 * Allocates mailbox numbers, each unique among all mailboxes the account ever had. With `paths`,
 * also stores the paths of all mailboxes that have a row after the transaction. Requires the
 * account's lease.
 */
export async function allocateMailboxNumbers(
  tx: Tx,
  account: string,
  { count, paths }: { count: number; paths?: Iterable<string> },
): Promise<number[]> {
  const { next } = await tx
    .updateTable('accountStates')
    .set((row) => ({
      nextMailboxNumber: row('nextMailboxNumber', '+', count),
      ...(paths && { knownMailboxes: encodePathHashes(paths) }),
    }))
    .where('account', '=', account)
    .returning('nextMailboxNumber as next')
    .executeTakeFirstOrThrow()
  return Array.from({ length: count }, (_, index) => next - count + index)
}

const hashHexLength = 16

/** Hash of a mailbox path: first 8 bytes of its SHA-256, in hex. */
export function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, hashHexLength)
}

/**
 * Hashes of the mailbox paths for which an account has rows. Comparing the hashes with the rows
 * shows which rows were lost. Undefined if no paths were ever stored.
 */
export async function findStoredPaths(
  db: Db,
  account: string,
): Promise<ReadonlySet<string> | undefined> {
  const row = await db
    .selectFrom('accountStates')
    .select('knownMailboxes')
    .where('account', '=', account)
    .executeTakeFirst()
  const hex = row?.knownMailboxes?.toString('hex')
  if (hex === undefined) return undefined
  const hashes = new Set<string>()
  for (let at = 0; at < hex.length; at += hashHexLength)
    hashes.add(hex.slice(at, at + hashHexLength))
  return hashes
}

function encodePathHashes(paths: Iterable<string>): Buffer {
  return Buffer.from([...paths].map(hashPath).join(''), 'hex')
}
