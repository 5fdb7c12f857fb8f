import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { deleteApiIndex } from './api/feeds.ts'

/**
 * Deletes the mailbox indexes (IMAP) or the message index (mail API), and the announced Message-IDs
 * of an account. The mailboxes keep their numbers, so that message ids stay valid. The next sync is
 * an initial sync. Requires the account's lease.
 */
export async function flushIndex(
  tx: Tx,
  account: string,
  { epoch, indexer }: { epoch: string; indexer: 'full' | 'fast' },
): Promise<void> {
  await tx
    .deleteFrom('mailboxChunks')
    .where('mailbox', 'in', (from) =>
      from.selectFrom('mailboxes').select('id').where('account', '=', account),
    )
    .execute()
  await tx.deleteFrom('announcedMessages').where('account', '=', account).execute()
  await flushApiIndex(tx, account)
  // The first sync of a mailbox announces all messages if the mailbox is newer than the
  // initialization of the account. A flushed mailbox is dated back to the initialization, so that
  // its messages are not announced.
  await sql`
    update mailboxes set indexer = ${indexer}, uid_next = null, highest_modseq = null,
      messages = null, flags_complete = false, synced_at = null,
      created_at = least(mailboxes.created_at, states.initialized_at)
    from account_states states
    where states.account = mailboxes.account and mailboxes.account = ${account}
  `.execute(tx)
  await tx
    .updateTable('accountStates')
    .set({ flushedEpoch: epoch, syncError: null })
    .where('account', '=', account)
    .execute()
}

/**
 * Deletes the message index of an account at a mail API. Message ids are the provider's ids and
 * stay valid. The row of the index stays, so that a flushed index differs from a lost index.
 */
async function flushApiIndex(tx: Tx, account: string): Promise<void> {
  await deleteApiIndex(tx, account)
  await tx
    .updateTable('apiMailboxes')
    .set({ messages: 0, announceFrom: null, filledAt: null })
    .where('account', '=', account)
    .execute()
}
