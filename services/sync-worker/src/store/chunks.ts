import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Row of `mailbox_chunks`: bitmaps of a mailbox index without trailing zero bytes. */
export interface StoredChunk {
  chunk: number
  uids: Uint8Array
  flags: string[]
  flagBits: Uint8Array[]
}

/** Lists all chunks of a mailbox index. The chunks of 100,000 messages take a few kilobytes. */
export function listChunks(db: Db, mailbox: string): Promise<StoredChunk[]> {
  return db
    .selectFrom('mailboxChunks')
    .select(['chunk', 'uids', 'flags', 'flagBits'])
    .where('mailbox', '=', mailbox)
    .execute()
}

export interface ChunkOwner {
  mailbox: string
  /** Epoch (claim number) of the lease under which the index of the mailbox is written. */
  epoch: string
}

/** Inserts or replaces chunks of a mailbox index. Requires the account's lease. */
export async function upsertChunks(
  tx: Tx,
  { mailbox, epoch }: ChunkOwner,
  chunks: readonly StoredChunk[],
): Promise<void> {
  for (const { chunk, uids, flags, flagBits } of chunks) {
    const bits = flagBits.map((bytes) => Buffer.from(bytes))
    await sql`
      insert into mailbox_chunks (mailbox, chunk, epoch, uids, flags, flag_bits)
      values (${mailbox}::bigint, ${chunk}, ${epoch}::bigint, ${Buffer.from(uids)},
        ${flags}::text[], ${bits}::bytea[])
      on conflict (mailbox, chunk) do update
      set epoch = excluded.epoch, uids = excluded.uids, flags = excluded.flags,
        flag_bits = excluded.flag_bits
    `.execute(tx)
  }
}

/** Deletes the named chunks of a mailbox index, or all chunks. Requires the account's lease. */
export async function deleteChunks(
  tx: Tx,
  mailbox: string,
  chunks?: readonly number[],
): Promise<void> {
  if (chunks?.length === 0) return
  const deletion = tx.deleteFrom('mailboxChunks').where('mailbox', '=', mailbox)
  await (chunks ? deletion.where('chunk', 'in', chunks) : deletion).execute()
}
