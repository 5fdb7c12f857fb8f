import { createHash } from 'node:crypto'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Retention of the Message-IDs of announced messages, in days. */
export const announcedDays = 90

/** Stored hash of a Message-ID: the first 8 bytes of its SHA-256, as a signed integer. */
export function hashMessageId(messageId: string): string {
  return createHash('sha256').update(messageId.trim()).digest().readBigInt64BE(0).toString()
}

/**
 * Stores hashes of Message-IDs and returns the hashes that were not stored before. Requires the
 * account's lease.
 */
export async function insertAnnounced(
  tx: Tx,
  account: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const { rows } = await sql<{ hash: string }>`
    insert into announced_messages (account, hash)
    select ${account}, hash from unnest(${[...new Set(hashes)]}::bigint[]) as hash
    on conflict do nothing returning hash
  `.execute(tx)
  return new Set(rows.map(({ hash }) => hash))
}

/** Deletes up to `limit` expired announced Message-IDs. Returns the number of deleted rows. */
export function deleteOldAnnounced(db: Db, limit: number): Promise<number> {
  return deleteExpired(db, { table: 'announced_messages', date: 'announced_at' }, limit)
}

/** Deletes up to `limit` rows of `table` whose `date` is before the retention of Message-IDs. */
export async function deleteExpired(
  db: Db,
  { table, date }: { table: string; date: string },
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid in (
      select ctid from ${sql.table(table)}
      where ${sql.ref(date)} < now() - make_interval(days => ${announcedDays}) limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
