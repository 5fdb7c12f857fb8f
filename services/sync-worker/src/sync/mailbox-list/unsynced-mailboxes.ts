import { commit } from '../../events/commit.ts'
import {
  findMailboxById,
  listMailboxRows,
  type MailboxRow,
  saveIdsOnly,
} from '../../store/mailboxes.ts'
import { allocateMailboxNumbers } from '../../store/account-states.ts'
import { selectMonitored } from './selection.ts'
import type { ListContext } from '../context.ts'
import { resetMailbox } from '../changes/initial-sync.ts'

/**
 * Lets ids be made for messages of a mailbox that no sync looks after: Gmail's labels, and paths that the registration leaves out. Its row as
 * it is then; undefined, without waiting, where a sync does, or the mailbox is gone.
 */
export async function storeUidValidity(
  { deps, account, session, locks }: ListContext,
  { id }: MailboxRow,
  uidValidity: bigint,
): Promise<MailboxRow | undefined> {
  const rows = await listMailboxRows(deps.db, account.account)
  const choice = { paths: account.paths, gmail: session.capabilities.gmail }
  if (uidValidity <= 0n || selectMonitored(rows, choice).some((row) => row.id === id))
    return undefined
  return locks.run(id, async () => {
    const row = await findMailboxById(deps.db, id)
    const told = row?.uidValidity != null && !row.idsOnly
    if (!row || (told && row.uidValidity === String(uidValidity))) return row
    // It was looked after once: whoever has ids of then is to hear that they are void.
    if (told) return resetMailbox({ deps, account }, row, { uidValidity, uidNext: 0 })
    return assignMessageIds({ deps, account }, row, uidValidity)
  })
}

/** Ids of messages in a mailbox that no event told of. Those of another UIDVALIDITY are void from now on. */
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
