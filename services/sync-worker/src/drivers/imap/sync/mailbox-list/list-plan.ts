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

/** UIDVALIDITY stored for a mailbox with a lost row if STATUS failed. Not valid (RFC 9051 §9). */
export const lostUidValidity = '0'

/**
 * Change of the mailbox list that this service made, so that no second LIST response has to confirm
 * the change.
 */
export interface AppliedListChange {
  /** Mailbox that CREATE created, with its MAILBOXID, which some servers do not list. */
  created?: { path: string; mailboxId?: string }
  deleted?: string
  renamed?: AppliedRename
}

export interface ListInput {
  changes: ListingChanges
  /** Counters of mailboxes that came with the listing (LIST response), by path. */
  statuses: ReadonlyMap<string, MailboxStatus>
  /** Change of the mailbox list by this service before the LIST command. Undefined if none. */
  applied: AppliedListChange | undefined
  /**
   * True if an earlier listing (LIST response) also left out the missing mailboxes. The current
   * listing then decides whether these mailboxes are deleted.
   */
  confirmed: boolean
}

/** Changes of the stored mailbox list that follow from a listing (LIST response). */
export interface ListPlan {
  deleted: MailboxRow[]
  /** Mailboxes that a listing (LIST response) left out for the first time. */
  missed: MailboxRow[]
  /**
   * Mailboxes missing in a LIST response that another LIST response must confirm as missing before
   * they count as deleted.
   */
  unconfirmed: MailboxRow[]
  changed: ListingChanges['changed']
  renamed: Rename[]
  added: Listing[]
  /** Counters, by path, of added mailboxes whose earlier rows were lost. */
  lost: ReadonlyMap<string, UidCounters>
}

/** True if a plan contains no change of the stored mailbox list. */
export function isEmptyPlan({ deleted, missed, changed, renamed, added }: ListPlan): boolean {
  return deleted.length + missed.length + changed.length + renamed.length + added.length === 0
}

/**
 * Decides which changes of the mailbox list to store after a listing (LIST response). Requests
 * counters of mailboxes from the server if the decision needs them.
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
 * Maximum number of missing mailboxes that never counts as suspicious. If more mailboxes are
 * missing, and these are at least half of all mailboxes, the server may have a failure.
 */
const maxUnsuspicious = 2
/**
 * Minimum time for which a suspicious number of mailboxes must be missing before they count as
 * deleted. In poll intervals; 1 min by default.
 */
const pollsUntilDeleted = 5

/**
 * Divides missing mailboxes into deleted and unconfirmed mailboxes. STATUS and another LIST
 * response must confirm a deletion, because servers sometimes leave out a mailbox or return an
 * outdated list.
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
    // With NOTIFY, the LIST response on a connection may lack a mailbox that was deleted and
    // created again. Another listing decides if STATUS finds the mailbox.
    const isContradicted = isPresent && row.missingSince === null && session.capabilities.notify
    if (!confirmed && (!isPresent || isContradicted)) result.unconfirmed.push(row)
  }
  return result
}

/**
 * Milliseconds since a LIST response first left out the mailbox. 0 if no response has left it out.
 */
function missingMs({ missingSince }: MailboxRow): number {
  return missingSince === null ? 0 : Date.now() - missingSince.getTime()
}

async function exists(session: ListContext['session'], path: string): Promise<boolean> {
  try {
    await session.status(path)
    return true
  } catch (error) {
    if (!isMailboxRefusal(error)) throw error
    // Only the error `not-found` proves that the mailbox is deleted. STATUS may be rejected for
    // other reasons.
    return error.kind !== 'not-found'
  }
}

/**
 * Finds the counters of listed mailboxes whose rows were lost: their paths are stored, but no row
 * exists. Such mailboxes would otherwise look new.
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
  // `added` (mailboxes to add to the list) also contains mailboxes that became unselectable. Their
  // rows exist and are not lost.
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
