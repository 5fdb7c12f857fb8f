import type { MailboxStatus, MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { commit } from '../../../../events/commit.ts'
import { mailboxDeleted, mailboxNew, mailboxReset } from '../../events/mailbox-events.ts'
import { allocateMailboxNumbers } from '../../../../store/account-states.ts'
import {
  deleteMailboxes,
  insertMailboxes,
  type Listing,
  listMailboxRows,
  type MailboxRow,
  markMissing,
  updateListing,
} from '../../../../store/mailboxes.ts'
import { raiseSyncEpoch } from '../../../../store/mailbox-sync-state.ts'
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
import { isOutdated } from './second-connection.ts'

/** Key of the lock of an account's mailbox list. Differs from all mailbox ids. */
const listLockKey = 'the list'

export interface MailboxList {
  rows: MailboxRow[]
  /** Counters of mailboxes that came with the listing (LIST response), by path. */
  statuses: ReadonlyMap<string, MailboxStatus>
  /** True if the mailbox list changed, or if deletions of mailboxes are not confirmed. */
  unsettled: boolean
  /** True if the listing (LIST response) changed the stored mailbox list. */
  changed: boolean
  /** True if another connection showed that the connection used for LIST is outdated. */
  outdated: boolean
}

export interface ListOptions {
  /** False to list the mailboxes without their counters. Default: true. */
  counters?: boolean
  /**
   * Runs work over another connection, whose LIST response decides whether missing mailboxes are
   * deleted. Resolves to undefined if there is no other connection. By default, the same connection
   * lists the mailboxes again.
   */
  withOther?: <T>(work: (session: MailSession) => Promise<T>) => Promise<T | undefined>
}

/**
 * Lists the server's mailboxes and updates the stored mailbox list. A new mailbox's `mailboxNew` is
 * recorded by its first sync, which reads UIDVALIDITY. `mailboxDeleted` is recorded after two
 * listings left out the mailbox and STATUS confirmed the deletion.
 */
export function syncMailboxList(
  context: ListContext,
  options: ListOptions = {},
): Promise<MailboxList> {
  return context.locks.run(listLockKey, () => refreshMailboxList(context, options))
}

/**
 * Changes the mailbox list on the server, then updates the stored list. Both steps run under the
 * lock of the mailbox list, because a listing between them would treat a renamed mailbox as new.
 * Calls `onStale` with the error if the stored list could not be updated, or if the outcome of the
 * change is unknown.
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
      const { rows } = await refreshMailboxList(context, { applied })
      return { done, rows }
    } catch (error) {
      // The server's mailbox list was changed, so an error while updating the stored list is not
      // thrown. The next sync pass updates the stored list.
      onStale(error)
      return { done, rows: [] }
    }
  })
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && ['rejected', 'invalid', 'not-found'].includes(error.kind)
}

interface RefreshOptions extends ListOptions {
  /**
   * Change of the mailbox list by this service. The LIST command that follows needs no counters.
   */
  applied?: AppliedListChange
  confirmed?: boolean
}

/** Lists the mailboxes and updates the stored list. Requires the lock of the mailbox list. */
async function refreshMailboxList(
  context: ListContext,
  options: RefreshOptions,
): Promise<MailboxList> {
  const { deps, account } = context
  const { applied, confirmed = false } = options
  const before = await listMailboxRows(deps.db, account.account)
  const { listings, statuses } = await readListing(context, before, options)
  const changes = compareListing(before, listings)
  const plan = await planListUpdate(context, before, { changes, statuses, applied, confirmed })
  if (plan.unconfirmed.length > 0) return confirmListing(context, plan.unconfirmed, options)
  if (isEmptyPlan(plan)) {
    const unsettled = before.some((row) => isRecentlyMissing(row, deps.config.mailboxPollMs))
    return { rows: before, statuses, unsettled, changed: false, outdated: false }
  }
  const inserted = await storePlan(context, before, plan)
  const rows = before.length === 0 ? inserted : await listMailboxRows(deps.db, account.account)
  return { rows, statuses, unsettled: true, changed: true, outdated: false }
}

/**
 * Lists the mailboxes again, because a listing left out stored mailboxes. Uses another connection
 * if possible, otherwise the connection of the first LIST.
 */
async function confirmListing(
  context: ListContext,
  unconfirmed: readonly MailboxRow[],
  { withOther, counters }: ListOptions,
): Promise<MailboxList> {
  const { session } = context
  const confirm = (newer: MailSession) =>
    refreshMailboxList({ ...context, session: newer }, defined({ counters, confirmed: true }))
  const list = await withOther?.(async (newer) => {
    const { rows, ...rest } = await confirm(newer)
    const paths = unconfirmed.map(({ path }) => path)
    return { rows, ...rest, outdated: await isOutdated({ session, newer }, rows, paths) }
  })
  return list ?? confirm(session)
}

async function readListing(
  { account, session }: ListContext,
  before: readonly MailboxRow[],
  { applied, counters = true }: RefreshOptions,
): Promise<{ listings: Listing[]; statuses: Map<string, MailboxStatus> }> {
  // The LIST command requests counters only if a mailbox has been synced completely. Other
  // mailboxes are selected in any case, and STATUS of a large mailbox can take as long as SELECT.
  const status = counters && !applied && before.some((row) => !isUnfinished(row))
  const listed = await session.listMailboxes({ status })
  // A server that lists no mailboxes has a fault. If the empty list were accepted, all stored
  // mailboxes would be deleted.
  if (listed.length === 0) throw new AppError('unreachable', 'The server lists no mailboxes')
  const statuses = new Map(
    listed.flatMap((mailbox) => (mailbox.status ? [[mailbox.path, mailbox.status] as const] : [])),
  )
  const listings = describeListing(listed, account.imap).map((listing) =>
    listing.path === applied?.created?.path
      ? { ...listing, mailboxId: listing.mailboxId ?? applied.created.mailboxId ?? null }
      : listing,
  )
  return { listings, statuses }
}

/**
 * Number of poll intervals after which a mailbox that is missing in LIST responses counts as
 * hidden.
 */
const pollsUntilHidden = 10

/**
 * True if a mailbox is missing so recently that the next LIST responses may contain the mailbox
 * again.
 */
function isRecentlyMissing({ missingSince }: MailboxRow, pollMs: number): boolean {
  return missingSince !== null && Date.now() - missingSince.getTime() < pollMs * pollsUntilHidden
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
      // Only events about the mailbox are recorded for a rename. Its messages keep their ids and
      // are not announced again.
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
        .map((row) => mailboxReset(account, row, { reason: 'syncStateLost' })),
    )
    return inserted
  })
}

function idsOf(rows: readonly MailboxRow[]): string[] {
  return rows.map(({ id }) => id)
}

/** True if the `mailboxNew` of a mailbox was recorded, for which UIDVALIDITY is needed. */
function isAnnounced({ uidValidity, idsOnly }: MailboxRow): boolean {
  return uidValidity !== null && !idsOnly
}
