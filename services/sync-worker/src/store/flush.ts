import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Forgets which messages there are in the mailboxes of an account, and which were announced. The mailboxes keep their numbers, so that
 * ids of messages stay what they are; to the next sync they are as if seen for the first time. Runs under the account's lease.
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
  // One that was found after the account was initialized announces all that is in it: it counts as one of the first from now on.
  await sql`
    update mailboxes set indexer = ${indexer}, uid_next = null, highest_modseq = null, messages = null, flags_complete = false,
      synced_at = null, created_at = least(mailboxes.created_at, states.initialized_at)
    from account_states states where states.account = mailboxes.account and mailboxes.account = ${account}
  `.execute(tx)
  await tx
    .updateTable('accountStates')
    .set({ flushedEpoch: epoch, syncError: null })
    .where('account', '=', account)
    .execute()
}
