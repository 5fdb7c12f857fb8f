import { commit } from '../../../../events/commit.ts'
import { allocateMailboxNumbers } from '../../../../store/account-states.ts'
import { findMailboxById, listMailboxRows, type MailboxRow } from '../../../../store/mailboxes.ts'
import { saveIdsOnly } from '../../../../store/mailbox-sync-state.ts'
import { resetMailbox } from './initial-sync.ts'
import type { ListContext } from '../context.ts'
import { selectionRules, selectMonitored } from '../mailbox-list/selection.ts'

/**
 * Stores the UIDVALIDITY of a mailbox that is not synced (Gmail label, or mailbox outside `path`),
 * so that its messages have ids. Returns the mailbox row. Undefined if the mailbox is synced or
 * deleted.
 */
export async function storeUidValidity(
  context: ListContext,
  { id }: MailboxRow,
  uidValidity: bigint,
): Promise<MailboxRow | undefined> {
  const { deps, account, locks } = context
  const rows = await listMailboxRows(deps.db, account.account)
  const monitored = selectMonitored(rows, selectionRules(context))
  if (uidValidity <= 0n || monitored.some((row) => row.id === id)) return undefined
  return locks.run(id, async () => {
    const row = await findMailboxById(deps.db, id)
    const wasSynced = row?.uidValidity != null && !row.idsOnly
    if (!row || (wasSynced && row.uidValidity === String(uidValidity))) return row
    // Clients may have message ids of a mailbox that was synced before. The event `mailboxReset`
    // informs clients that these ids are invalid.
    if (wasSynced) return resetMailbox(context, row, { uidValidity, uidNext: 0 })
    return assignMessageIds(context, row, uidValidity)
  })
}

/**
 * Makes the message ids of a mailbox valid for a UIDVALIDITY, without events. Message ids for
 * another UIDVALIDITY become invalid.
 */
export async function assignMessageIds(
  { deps, account }: Pick<ListContext, 'deps' | 'account'>,
  row: MailboxRow,
  uidValidity: bigint,
): Promise<MailboxRow> {
  const before = row.uidValidity
  if (before === String(uidValidity)) return row
  return commit(deps, account.lease, async (tx) => {
    const [number = row.number] =
      before === null ? [] : await allocateMailboxNumbers(tx, account.account, { count: 1 })
    return saveIdsOnly(tx, row.id, { number, uidValidity })
  })
}
