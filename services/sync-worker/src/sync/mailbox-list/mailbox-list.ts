import type { MailboxStatus } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { commit } from '../../events/commit.ts'
import { mailboxDeleted, mailboxNew, mailboxReset } from '../../events/mailbox.ts'
import { findStoredPaths, hashPath } from '../../store/stored-paths.ts'
import {
  deleteMailboxes,
  insertMailboxes,
  type Listing,
  listMailboxRows,
  type MailboxRow,
  markMissing,
  raiseSyncEpoch,
  updateListing,
  type UidCounters,
} from '../../store/mailboxes.ts'
import { findAccountStatus, allocateMailboxNumbers } from '../../store/account-states.ts'
import { isUnfinished } from '../sync-plan.ts'
import { selectMonitored } from './selection.ts'
import type { ListContext } from '../context.ts'
import { compareListing, describeListing, type ListingChanges } from './listing.ts'
import { findRenames, matchAppliedRename, type Rename, type AppliedRename } from './renames.ts'

/** UIDVALIDITY is never zero (RFC 9051 §9): marks a mailbox whose ids are void and whose UIDVALIDITY could not be asked for. */
export const lostUidValidity = '0'

/** What is locked while the list of mailboxes is looked at or changed; no mailbox has this id. */
export const listLockKey = 'the list'

export interface MailboxList {
  rows: MailboxRow[]
  /** Counters that came along, by path. */
  statuses: ReadonlyMap<string, MailboxStatus>
  /** It was another one than before; or some mailboxes were left out, and whether they are gone the next listing will show. */
  unsettled: boolean
}

/**
 * Brings the stored list of mailboxes up to date. A mailbox that is new gets its event with its first sync, which knows its UIDVALIDITY;
 * one that is gone gets it here, once two listings left it out.
 */
export function syncMailboxList(
  context: ListContext,
  options: { status: boolean },
): Promise<MailboxList> {
  return context.locks.run(listLockKey, () => refreshMailboxList(context, options))
}

/** What is known to have happened to a mailbox, and needs no other proof than that a listing shows it. */
export interface AppliedListChange {
  /** Not every server tells the id in a list as well. */
  created?: { path: string; mailboxId?: string }
  deleted?: string
  renamed?: AppliedRename
}

/** The same for whoever holds the list. */
export async function refreshMailboxList(
  context: ListContext,
  { status, told = {} }: { status: boolean; told?: AppliedListChange },
): Promise<MailboxList> {
  const { deps, account, session } = context
  const before = await listMailboxRows(deps.db, account.account)
  // What was never looked at is opened whatever its counters are, and a STATUS of a large mailbox can take as long as opening it.
  const known = before.some((row) => !isUnfinished(row))
  const listed = await session.listMailboxes({ status: status && known })
  // An account without a single mailbox is a server in trouble. Believing it would delete all we know.
  if (listed.length === 0) throw new AppError('unreachable', 'The server lists no mailboxes')
  const statuses = new Map(
    listed.flatMap((mailbox) => (mailbox.status ? [[mailbox.path, mailbox.status] as const] : [])),
  )
  const listings = describeListing(listed, account.imap).map((listing) =>
    listing.path === told.created?.path
      ? { ...listing, mailboxId: listing.mailboxId ?? told.created.mailboxId ?? null }
      : listing,
  )
  const changes = compareListing(before, listings)
  const plan = await planListUpdate(context, before, { changes, statuses, told })
  if (changesNothing(plan))
    return { rows: before, statuses, unsettled: before.some((row) => !row.listed) }
  const inserted = await storePlan(context, before, plan)
  // Of an account that is new, those are all.
  const rows = before.length === 0 ? inserted : await listMailboxRows(deps.db, account.account)
  return { rows, statuses, unsettled: true }
}

/** What is to be stored. */
interface ListPlan {
  deleted: MailboxRow[]
  /** Left out for the first time. */
  missed: MailboxRow[]
  changed: ListingChanges['changed']
  renamed: Rename[]
  added: Listing[]
  /** Where those of `added` stand whose rows were lost. */
  lost: ReadonlyMap<string, UidCounters>
}

interface Listed {
  changes: ListingChanges
  statuses: ReadonlyMap<string, MailboxStatus>
  told: AppliedListChange
}

function changesNothing({ deleted: gone, missed, changed, renamed, added }: ListPlan): boolean {
  return gone.length + missed.length + changed.length + renamed.length + added.length === 0
}

async function planListUpdate(
  context: ListContext,
  rows: readonly MailboxRow[],
  { changes, statuses, told }: Listed,
): Promise<ListPlan> {
  const { added, missing, changed } = changes
  const renamed = await renames(context, rows, { changes, statuses, told })
  const moved = new Set<object>(renamed.flatMap(({ row, listing }) => [row, listing]))
  const left = missing.filter((row) => !moved.has(row))
  const arrived = added.filter((listing) => !moved.has(listing))
  return {
    deleted: [...changes.unselectable, ...(await confirmDeleted(context, left, told))],
    missed: left.filter(({ missingSince }) => missingSince === null),
    changed,
    renamed,
    added: arrived,
    lost: await findLost(context, rows, {
      changes: { ...changes, added: arrived },
      statuses,
      told,
    }),
  }
}

async function renames(
  context: ListContext,
  rows: readonly MailboxRow[],
  { changes: { missing, added }, statuses, told }: Listed,
): Promise<Rename[]> {
  const known = told.renamed ? matchAppliedRename({ missing, added }, told.renamed) : []
  const left = {
    missing: missing.filter((row) => !known.some((rename) => rename.row === row)),
    added: added.filter((listing) => !known.some((rename) => rename.listing === listing)),
  }
  if (left.missing.length === 0 || left.added.length === 0) return known
  const counters = new Map(statuses)
  for (const { path } of selectableOf(context, left.added)) {
    const status = counters.get(path) ?? (await statusOf(context, path))
    if (status) counters.set(path, status)
  }
  return [...known, ...findRenames(rows, left, counters)]
}

/** Servers leave mailboxes out of a listing by mistake: one is gone when a later listing does so, too, and it cannot be asked for either. */
async function confirmDeleted(
  { session, deps }: ListContext,
  missing: readonly MailboxRow[],
  told: AppliedListChange,
): Promise<MailboxRow[]> {
  const confirmed: MailboxRow[] = []
  for (const row of missing) {
    if (row.path === told.deleted) {
      confirmed.push(row)
      continue
    }
    const again =
      row.missingSince !== null &&
      Date.now() - row.missingSince.getTime() >= deps.config.mailboxPollMs / 2
    if (again && !(await exists(session, row.path))) confirmed.push(row)
  }
  return confirmed
}

async function exists(session: ListContext['session'], path: string): Promise<boolean> {
  try {
    await session.status(path)
    return true
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not-found') return false
    // Refused for another reason: the answer is left open.
    if (error instanceof AppError && error.kind === 'rejected') return true
    throw error
  }
}

/** The mailboxes that look new, and are known: their rows were lost. */
async function findLost(
  context: ListContext,
  rows: readonly MailboxRow[],
  { changes: { added }, statuses }: Listed,
): Promise<Map<string, UidCounters>> {
  const lost = new Map<string, UidCounters>()
  const { deps, account } = context
  if (added.length === 0) return lost
  const standing = await findAccountStatus(deps.db, account.account)
  if (standing?.initializedAt == null) return lost
  const known = await findStoredPaths(deps.db, account.account)
  // A mailbox that can be selected no longer is among those added as what it became.
  const present = new Set(rows.map(({ path }) => path))
  for (const { path } of selectableOf(context, added)) {
    if (present.has(path) || !(known ? known.has(hashPath(path)) : rows.length === 0)) continue
    const status = statuses.get(path) ?? (await statusOf(context, path))
    lost.set(path, {
      uidValidity: status ? String(status.uidValidity) : lostUidValidity,
      uidNext: String(status?.uidNext ?? 0),
    })
  }
  return lost
}

function selectableOf(
  { account, session }: ListContext,
  listings: readonly Listing[],
): { path: string }[] {
  return selectMonitored(
    listings.map((listing) => ({ ...listing, listed: true })),
    { paths: account.paths, gmail: session.capabilities.gmail },
  )
}

async function statusOf({ session }: ListContext, path: string) {
  try {
    return await session.status(path)
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unreachable') throw error
    return undefined
  }
}

async function storePlan(
  { deps, account }: ListContext,
  before: readonly MailboxRow[],
  { deleted: gone, missed, changed, renamed, added, lost }: ListPlan,
): Promise<MailboxRow[]> {
  const indexer = before[0]?.indexer ?? account.imapIndexer ?? (await defaultIndexer(deps))
  const left = new Set([...gone, ...renamed.map(({ row }) => row)])
  return commit(deps, account.lease, async (tx, record) => {
    await deleteMailboxes(
      tx,
      gone.map(({ id }) => id),
    )
    await markMissing(
      tx,
      missed.map(({ id }) => id),
    )
    for (const { row, listing } of changed) await updateListing(tx, row.id, listing)
    for (const { row, listing } of renamed) {
      const moved = await updateListing(tx, row.id, listing)
      const epoch = await raiseSyncEpoch(tx, row.id)
      // Its messages keep their ids and are not told again.
      if (row.uidValidity !== null && !row.idsOnly)
        await record([mailboxDeleted(account, row, epoch), mailboxNew(account, moved, epoch)])
    }
    const kept = before.filter((row) => !left.has(row))
    const known = [...kept, ...renamed.map(({ listing }) => listing), ...added]
    const numbers = await allocateMailboxNumbers(tx, account.account, {
      count: added.length,
      paths: known.map(({ path }) => path),
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
    // Without UIDVALIDITY it was never told of.
    await record(
      gone
        .filter(({ uidValidity, idsOnly }) => uidValidity !== null && !idsOnly)
        .map((row) => mailboxDeleted(account, row)),
    )
    await record(
      inserted
        .filter(({ uidValidity }) => uidValidity !== null && uidValidity !== lostUidValidity)
        .map((row) => mailboxReset(account, row, { reason: 'syncStateLost', previous: false })),
    )
    return inserted
  })
}

async function defaultIndexer({ settings }: ListContext['deps']): Promise<MailboxRow['indexer']> {
  return (await settings.get()).imapIndexer ?? 'full'
}
