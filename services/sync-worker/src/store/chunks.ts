import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { type Difference, MailboxIndex, toStored } from '../index/mailbox-index.ts'

/** Reads the whole index of a mailbox: some kilobytes for 100,000 messages. */
export async function loadIndex(db: Db, mailbox: string): Promise<MailboxIndex> {
  const rows = await db
    .selectFrom('mailboxChunks')
    .select(['chunk', 'uids', 'flags', 'flagBits'])
    .where('mailbox', '=', mailbox)
    .execute()
  return MailboxIndex.fromStored(rows)
}

export interface ChunkOwner {
  mailbox: string
  /** Epoch of the shard's lease. */
  epoch: string
}

/** Writes changed chunks; adopt them after the commit. Requires the account's lease. */
export async function saveChunks(
  tx: Tx,
  { mailbox, epoch }: ChunkOwner,
  dirty: Difference['dirtyChunks'],
): Promise<void> {
  const empty = [...dirty].flatMap(([number, chunk]) => (chunk ? [] : [number]))
  if (empty.length > 0)
    await tx
      .deleteFrom('mailboxChunks')
      .where('mailbox', '=', mailbox)
      .where('chunk', 'in', empty)
      .execute()
  for (const [number, chunk] of dirty) {
    if (!chunk) continue
    const { uids, flags, flagBits } = toStored(number, chunk)
    const bits = flagBits.map((bytes) => Buffer.from(bytes))
    await sql`
      insert into mailbox_chunks (mailbox, chunk, epoch, uids, flags, flag_bits)
      values (${mailbox}::bigint, ${number}, ${epoch}::bigint, ${Buffer.from(uids)},
        ${flags}::text[], ${bits}::bytea[])
      on conflict (mailbox, chunk) do update
      set epoch = excluded.epoch, uids = excluded.uids, flags = excluded.flags,
        flag_bits = excluded.flag_bits
    `.execute(tx)
  }
}

/** Deletes the index of a mailbox. Requires the account's lease. */
export async function deleteChunks(tx: Tx, mailbox: string): Promise<void> {
  await tx.deleteFrom('mailboxChunks').where('mailbox', '=', mailbox).execute()
}
