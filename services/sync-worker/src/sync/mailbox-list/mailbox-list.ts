import type { MailboxStatus } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { commit } from '../../events/commit.ts'
import { mailboxDeleted, mailboxNew, mailboxReset } from '../../events/mailbox-events.ts'
import { allocateMailboxNumbers } from '../../store/account-states.ts'
import {
  deleteMailboxes,
  insertMailboxes,
  listMailboxRows,
  type MailboxRow,
  markMissing,
  raiseSyncEpoch,
  updateListing,
} from '../../store/mailboxes.ts'
import type { ListContext } from '../context.ts'
import { isUnfinished } from '../sync-plan.ts'
import {
  type AppliedListChange,
  isEmptyPlan,
  type ListPlan,
  lostUidValidity,
  planListUpdate,
} from './list-plan.ts'
import { compareListing, describeListing } from './listing.ts'

/** Lock of the mailbox list. Never the id of a mailbox. */
const listLockKey = 'the list'

export interface MailboxList {
  rows: MailboxRow[]
  /** Counters that the listing included, by path. */
  statuses: ReadonlyMap<string, MailboxStatus>
  /** True if the list changed, or mailboxes are missing whose deletion is not confirmed yet. */
  unsettled: boolean
}

/**
 * Lists the mailboxes and updates the stored list. `mailboxNew` follows with the first sync, which
 * learns UIDVALIDITY; `mailboxDeleted` is recorded when two listings left the mailbox out.
 */
export function syncMailboxList(context: ListContext): Promise<MailboxList> {
  return context.locks.run(listLockKey, () => refreshMailboxList(context))
}

/**
 * Changes the mailbox list on the server, then updates the stored list, under the lock of the list:
 * a listing in between would take a renamed mailbox for a new one. `onStale` is called with the
 * error if the stored list could not be updated or the outcome of the change is unknown.
 */
export function changeMailboxList<T>(
  context: ListContext,
  change: () => Promise<{ done: T; applied: AppliedListChange }>,
  onStale: (error: unknown) => void,
): Promise<{ done: T; rows: MailboxRow[] }> {
  return context.locks.run(listLockKey, async () => {
    const { done, applied } = await change().catch((error: unknown) => {
      if (!isRefusal(error)) onStale(error)
      throw error
    })
    try {
      const { rows } = await refreshMailboxList(context, applied)
      return { done, rows }
    } catch (error) {
      // The change succeeded; the next sync pass updates the list.
      onStale(error)
      return { done, rows: [] }
    }
  })
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && ['rejected', 'invalid', 'not-found'].includes(error.kind)
}

/** Requires the lock of the list. After a change by this service, requests no counters. */
async function refreshMailboxList(
  context: ListContext,
  applied?: AppliedListChange,
): Promise<MailboxList> {
  const { deps, account, session } = context
  const before = await listMailboxRows(deps.db, account.account)
  // Mailboxes without a complete sync are selected in any case. STATUS of a large mailbox can take
  // as long as SELECT.
  const status = !applied && before.some((row) => !isUnfinished(row))
  const listed = await session.listMailboxes({ status })
  // An empty list is a server fault; accepting it would delete all stored mailboxes.
  if (listed.length === 0) throw new AppError('unreachable', 'The server lists no mailboxes')
  const statuses = new Map(
    listed.flatMap((mailbox) => (mailbox.status ? [[mailbox.path, mailbox.status] as const] : [])),
  )
  const listings = describeListing(listed, account.imap).map((listing) =>
    listing.path === applied?.created?.path
      ? { ...listing, mailboxId: listing.mailboxId ?? applied.created.mailboxId ?? null }
      : listing,
  )
  const changes = compareListing(before, listings)
  const plan = await planListUpdate(context, before, { changes, statuses, applied: applied ?? {} })
  if (isEmptyPlan(plan))
    return { rows: before, statuses, unsettled: before.some((row) => !row.listed) }
  const inserted = await storePlan(context, before, plan)
  const rows = before.length === 0 ? inserted : await listMailboxRows(deps.db, account.account)
  return { rows, statuses, unsettled: true }
}

async function storePlan(
  { deps, account }: ListContext,
  before: readonly MailboxRow[],
  { deleted, missed, changed, renamed, added, lost }: ListPlan,
): Promise<MailboxRow[]> {
  const { imapIndexer = 'full' } = await deps.settings.get()
  const indexer = before[0]?.indexer ?? account.imapIndexer ?? imapIndexer
  const obsolete = new Set([...deleted, ...renamed.map(({ row }) => row)])
  return commit(deps, account.lease, async (tx, record) => {
    await deleteMailboxes(tx, idsOf(deleted))
    await markMissing(tx, idsOf(missed))
    for (const { row, listing } of changed) await updateListing(tx, row.id, listing)
    for (const { row, listing } of renamed) {
      const moved = await updateListing(tx, row.id, listing)
      const epoch = await raiseSyncEpoch(tx, row.id)
      // Its messages keep their ids and are not announced again.
      if (isAnnounced(row))
        await record([mailboxDeleted(account, row, epoch), mailboxNew(account, moved, epoch)])
    }
    const remaining = before.filter((row) => !obsolete.has(row))
    const stored = [...remaining, ...renamed.map(({ listing }) => listing), ...added]
    const numbers = await allocateMailboxNumbers(tx, account.account, {
      count: added.length,
      paths: stored.map(({ path }) => path),
    })
    const inserted = await insertMailboxes(
      tx,
      account.account,
      added.map((listing, at) => ({
        ...listing,
        indexer,
        number: numbers[at] ?? 0,
        ...lost.get(listing.path),
      })),
    )
    await record(deleted.filter(isAnnounced).map((row) => mailboxDeleted(account, row)))
    await record(
      inserted
        .filter(({ uidValidity }) => uidValidity !== null && uidValidity !== lostUidValidity)
        .map((row) => mailboxReset(account, row, { reason: 'syncStateLost', previous: false })),
    )
    return inserted
  })
}

function idsOf(rows: readonly MailboxRow[]): string[] {
  return rows.map(({ id }) => id)
}

/** True if a `mailboxNew` was recorded, which needs UIDVALIDITY. */
function isAnnounced({ uidValidity, idsOnly }: MailboxRow): boolean {
  return uidValidity !== null && !idsOnly
}
