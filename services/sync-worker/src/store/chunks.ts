import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { type Difference, MailboxIndex, toStored } from '../index/mailbox-index.ts'

/** What we know of a mailbox, all of it: some kilobytes for a hundred thousand messages. */
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
  /** Of the shard's lease. */
  epoch: string
}

/** Writes the chunks a difference made dirty; adopt them after the commit. Runs under the account's lease. */
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
      values (${mailbox}::bigint, ${number}, ${epoch}::bigint, ${Buffer.from(uids)}, ${flags}::text[], ${bits}::bytea[])
      on conflict (mailbox, chunk) do update
      set epoch = excluded.epoch, uids = excluded.uids, flags = excluded.flags, flag_bits = excluded.flag_bits
    `.execute(tx)
  }
}

/** Forgets all messages of a mailbox. Runs under the account's lease. */
export async function deleteChunks(tx: Tx, mailbox: string): Promise<void> {
  await tx.deleteFrom('mailboxChunks').where('mailbox', '=', mailbox).execute()
}
