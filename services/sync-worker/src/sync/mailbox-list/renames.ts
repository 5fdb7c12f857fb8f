import type { Listing, MailboxRow } from '../../store/mailboxes.ts'
import type { Counters } from '../sync-plan.ts'

/** A mailbox that is the one from before under another path. */
export interface Rename {
  row: MailboxRow
  listing: Listing
}

/** A rename that is known to have happened. What is below goes along (RFC 9051 §6.3.6). */
export interface AppliedRename {
  from: string
  to: string
}

/** Which of the mailboxes that came are those that went, after a rename. Pure. */
export function matchAppliedRename(
  { missing, added }: { missing: readonly MailboxRow[]; added: readonly Listing[] },
  { from, to }: AppliedRename,
): Rename[] {
  return missing.flatMap((row) => {
    if (row.path !== from && !row.path.startsWith(from + (row.delimiter ?? '/'))) return []
    const now = to + row.path.slice(from.length)
    const listing = added.find(({ path }) => path === now)
    return listing ? [{ row, listing }] : []
  })
}

/** Old servers number all mailboxes alike, often with 1: that tells none from another. */
const minDistinctiveUidValidity = 1_000n

/**
 * Which of the mailboxes that came are those that went, under another path. What proves it is an equal MAILBOXID (RFC 8474 §4.1), or,
 * where the server tells none, a UIDVALIDITY that no other mailbox has, with a UIDNEXT that has not gone back (RFC 9051 §2.3.1.1):
 * without proof a mailbox went and another one came. What was changed in it meanwhile the next look at it finds. Pure.
 */
export function findRenames(
  rows: readonly MailboxRow[],
  { missing, added }: { missing: readonly MailboxRow[]; added: readonly Listing[] },
  counters: ReadonlyMap<string, Counters>,
): Rename[] {
  const renames: Rename[] = []
  for (const row of missing) {
    const same = added.filter((listing) => isSame(rows, row, { listing, counters }))
    const [listing] = same
    if (listing && same.length === 1) renames.push({ row, listing })
  }
  // Two that claim to be the same one prove nothing.
  return renames.filter(
    ({ listing }) => renames.filter((other) => other.listing === listing).length === 1,
  )
}

function isSame(
  rows: readonly MailboxRow[],
  row: MailboxRow,
  { listing, counters }: { listing: Listing; counters: ReadonlyMap<string, Counters> },
): boolean {
  if (row.mailboxId !== null && listing.mailboxId !== null)
    return (
      row.mailboxId === listing.mailboxId &&
      rows.filter(({ mailboxId }) => mailboxId === row.mailboxId).length === 1
    )
  const now = counters.get(listing.path)
  if (!now || row.uidValidity === null || row.uidNext === null) return false
  return (
    row.uidValidity === String(now.uidValidity) &&
    now.uidValidity >= minDistinctiveUidValidity &&
    now.uidNext >= Number(row.uidNext) &&
    // One that never had a message is not worth the risk.
    Number(row.uidNext) > 1 &&
    rows.filter(({ uidValidity }) => uidValidity === row.uidValidity).length === 1
  )
}
