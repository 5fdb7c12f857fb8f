import type { MailboxStatus } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { findAccountStatus } from '../../../../store/account-status.ts'
import type { Listing, MailboxRow, UidCounters } from '../../../../store/mailboxes.ts'
import { findStoredPaths, hashPath } from '../../../../store/account-states.ts'
import type { ListContext } from '../context.ts'
import {
  type AppliedRename,
  findRenames,
  type ListingChanges,
  matchAppliedRename,
  type Rename,
} from './listing.ts'
import { isMailboxRefusal } from './second-connection.ts'
import { selectionRules, selectMonitored } from './selection.ts'

/** UIDVALIDITY of a lost mailbox whose STATUS failed. Never a real UIDVALIDITY (RFC 9051 §9). */
export const lostUidValidity = '0'

/** Change of the mailbox list by this service. The listing alone proves such a change. */
export interface AppliedListChange {
  /** Mailbox that CREATE created. Not every server lists the MAILBOXID that CREATE returned. */
  created?: { path: string; mailboxId?: string }
  deleted?: string
  renamed?: AppliedRename
}

export interface ListInput {
  changes: ListingChanges
  /** Counters of the mailboxes in the listing (LIST response), by path. */
  statuses: ReadonlyMap<string, MailboxStatus>
  /** Change that this service has just made to the mailbox list; otherwise undefined. */
  applied: AppliedListChange | undefined
  /**
   * True if an earlier listing left out mailboxes: the current listing decides whether these
   * mailboxes are deleted.
   */
  confirmed: boolean
}

/** Changes to make in the stored mailbox list after a listing (LIST response). */
export interface ListPlan {
  deleted: MailboxRow[]
  /** Mailboxes that a listing left out for the first time. */
  missed: MailboxRow[]
  /** Missing mailboxes about which another listing has to decide. */
  unconfirmed: MailboxRow[]
  changed: ListingChanges['changed']
  renamed: Rename[]
  added: Listing[]
  /** Counters, by path, of added mailboxes whose stored rows were lost. */
  lost: ReadonlyMap<string, UidCounters>
}

/** True if the plan changes nothing in the stored mailbox list. */
export function isEmptyPlan({ deleted, missed, changed, renamed, added }: ListPlan): boolean {
  return deleted.length + missed.length + changed.length + renamed.length + added.length === 0
}

/**
 * Decides which changes of a mailbox listing to store. Requests counters from the server if the
 * decision needs them.
 */
export async function planListUpdate(
  context: ListContext,
  rows: readonly MailboxRow[],
  { changes, statuses, applied, confirmed }: ListInput,
): Promise<ListPlan> {
  const renamed = await planRenames(context, rows, { changes, statuses, applied })
  const moved = new Set<object>(renamed.flatMap(({ row, listing }) => [row, listing]))
  const missing = changes.missing.filter((row) => !moved.has(row))
  const added = changes.added.filter((listing) => !moved.has(listing))
  const { deleted, unconfirmed } = applied
    ? { deleted: missing.filter(({ path }) => path === applied.deleted), unconfirmed: [] }
    : await checkMissing(context, rows, { missing, confirmed })
  return {
    deleted: [...changes.unselectable, ...deleted],
    missed: missing.filter((row) => row.missingSince === null && !deleted.includes(row)),
    unconfirmed,
    changed: changes.changed,
    renamed,
    added,
    lost: await findLost(context, rows, { added, statuses }),
  }
}

async function planRenames(
  context: ListContext,
  rows: readonly MailboxRow[],
  { changes: { missing, added }, statuses, applied }: Omit<ListInput, 'confirmed'>,
): Promise<Rename[]> {
  const byService = applied?.renamed ? matchAppliedRename({ missing, added }, applied.renamed) : []
  const rest = {
    missing: missing.filter((row) => !byService.some((rename) => rename.row === row)),
    added: added.filter((listing) => !byService.some((rename) => rename.listing === listing)),
  }
  if (rest.missing.length === 0 || rest.added.length === 0) return byService
  const counters = new Map(statuses)
  for (const { path } of selectMonitoredListings(context, rest.added)) {
    const status = counters.get(path) ?? (await findStatus(context, path))
    if (status) counters.set(path, status)
  }
  return [...byService, ...findRenames(rows, rest, counters)]
}

/**
 * Maximum missing mailboxes that are never suspicious. More missing mailboxes, if they are half of
 * all mailboxes, may be a failure of the server.
 */
const maxUnsuspicious = 2
/**
 * Minimum time that suspiciously many mailboxes have to be missing, in poll intervals. Default: 1
 * min.
 */
const pollsUntilDeleted = 5

/**
 * Separates deleted from unconfirmed missing mailboxes. Servers leave mailboxes out of a listing by
 * mistake or show an outdated listing, so STATUS and another listing have to confirm a deletion.
 */
async function checkMissing(
  { session, deps }: ListContext,
  rows: readonly MailboxRow[],
  { missing, confirmed }: { missing: readonly MailboxRow[]; confirmed: boolean },
): Promise<Pick<ListPlan, 'deleted' | 'unconfirmed'>> {
  const result: Pick<ListPlan, 'deleted' | 'unconfirmed'> = { deleted: [], unconfirmed: [] }
  const isSuspicious = missing.length > maxUnsuspicious && missing.length * 2 >= rows.length
  const minAgeMs = isSuspicious ? deps.config.mailboxPollMs * pollsUntilDeleted : 0
  for (const row of missing.filter((each) => missingMs(each) >= minAgeMs)) {
    const isPresent = await exists(session, row.path)
    if (confirmed && !isPresent) result.deleted.push(row)
    // The mailbox list of a connection with NOTIFY may lack a mailbox that was deleted and created
    // again.
    const isContradicted = isPresent && row.missingSince === null && session.capabilities.notify
    if (!confirmed && (!isPresent || isContradicted)) result.unconfirmed.push(row)
  }
  return result
}

/** Milliseconds since a listing first left the mailbox out; 0 if no listing did. */
function missingMs({ missingSince }: MailboxRow): number {
  return missingSince === null ? 0 : Date.now() - missingSince.getTime()
}

async function exists(session: ListContext['session'], path: string): Promise<boolean> {
  try {
    await session.status(path)
    return true
  } catch (error) {
    if (!isMailboxRefusal(error)) throw error
    // STATUS was rejected for another reason, which does not prove a deletion.
    return error.kind !== 'not-found'
  }
}

/**
 * Counters of mailboxes whose paths are stored but whose rows were lost. Such mailboxes look new.
 */
async function findLost(
  context: ListContext,
  rows: readonly MailboxRow[],
  { added, statuses }: { added: readonly Listing[]; statuses: ListInput['statuses'] },
): Promise<Map<string, UidCounters>> {
  const lost = new Map<string, UidCounters>()
  const { deps, account } = context
  if (added.length === 0) return lost
  const accountStatus = await findAccountStatus(deps.db, account.account)
  if (accountStatus?.initializedAt == null) return lost
  const stored = await findStoredPaths(deps.db, account.account)
  // `added` also has mailboxes that became unselectable, whose rows are present.
  const present = new Set(rows.map(({ path }) => path))
  for (const { path } of selectMonitoredListings(context, added)) {
    if (present.has(path) || !(stored ? stored.has(hashPath(path)) : rows.length === 0)) continue
    const status = statuses.get(path) ?? (await findStatus(context, path))
    lost.set(path, {
      uidValidity: status ? String(status.uidValidity) : lostUidValidity,
      uidNext: String(status?.uidNext ?? 0),
    })
  }
  return lost
}

function selectMonitoredListings(
  context: ListContext,
  listings: readonly Listing[],
): { path: string }[] {
  return selectMonitored(
    listings.map((listing) => ({ ...listing, listed: true })),
    selectionRules(context),
  )
}

async function findStatus(
  { session }: ListContext,
  path: string,
): Promise<MailboxStatus | undefined> {
  try {
    return await session.status(path)
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unreachable') throw error
    return undefined
  }
}
