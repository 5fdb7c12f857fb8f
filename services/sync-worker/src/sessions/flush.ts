import type { Deps } from '../deps.ts'
import type { AccountRow } from '../store/accounts.ts'
import { flushIndex } from '../store/flush.ts'
import { type AccountLease, withLease } from '../store/lease.ts'

/** Does a flush that was asked for and not done yet, before anything is done with what it forgets. Whether there was one. */
export async function flushIfRequested(
  { db, settings, log }: Deps,
  lease: AccountLease,
  { account, flushEpoch: epoch, flushedEpoch, imapIndexer }: AccountRow,
): Promise<boolean> {
  if (flushedEpoch === epoch) return false
  const indexer = imapIndexer ?? (await settings.get()).imapIndexer ?? 'full'
  await withLease(db, lease, (tx) => flushIndex(tx, account, { epoch, indexer }))
  log.info({ account, indexer }, 'what was known of the messages is forgotten, as was asked for')
  return true
}
