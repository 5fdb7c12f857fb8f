import type { ListedMailbox } from '@posthorn/backends'
import type { ImapConfig } from '@posthorn/contracts/schemas/mail-server'
import type { SpecialUse } from '@posthorn/contracts/schemas/message'
import { isSelectable, type Listing, type MailboxRow } from '../../../../store/mailboxes.ts'
import type { Counters } from '../sync-plan.ts'

// Pure functions for LIST responses: special uses of mailboxes, differences from the stored mailbox
// rows, and renames of mailboxes.

/** Registration settings of an account that override special uses reported by the server. */
const overrideSettings = [
  ['\\Sent', 'sentMailPath'],
  ['\\Drafts', 'draftsMailPath'],
  ['\\Junk', 'junkMailPath'],
  ['\\Trash', 'trashMailPath'],
  ['\\Archive', 'archiveMailPath'],
] as const

type Overrides = Pick<ImapConfig, (typeof overrideSettings)[number][1]>

/**
 * LIST attributes `\Marked` and `\Unmarked`. Both depend on when a client last selected the mailbox
 * (RFC 9051 §7.3.1) and are ignored; changes are detected by the counters of the mailbox.
 */
const transientAttribute = /^\\(?:un)?marked$/i

/**
 * Describes the mailboxes of a LIST response. Special uses in the account's registration override
 * special uses that the server reports.
 */
export function describeListing(listed: readonly ListedMailbox[], overrides: Overrides): Listing[] {
  const uses = new Map<SpecialUse, string>()
  for (const [use, setting] of overrideSettings) {
    const path = overrides[setting]
    if (path && listed.some((mailbox) => mailbox.path === path)) uses.set(use, path)
  }
  // If a server lists INBOX twice, the last entry is used.
  return [...new Map(listed.map((mailbox) => [mailbox.path, describe(mailbox, uses)])).values()]
}

function describe(mailbox: ListedMailbox, overrides: ReadonlyMap<SpecialUse, string>): Listing {
  const { path, name, delimiter, parentPath, subscribed, selectable } = mailbox
  const attributes = withoutTransient(mailbox.attributes)
  const isExplicit = selectable || !isSelectable({ attributes })
  return {
    path,
    name,
    delimiter,
    parentPath: parentPath === '' ? null : parentPath,
    subscribed,
    attributes: isExplicit ? attributes : [...attributes, '\\Noselect'],
    mailboxId: mailbox.mailboxId ?? null,
    ...specialUseOf(mailbox, overrides),
  }
}

function withoutTransient(attributes: readonly string[]): string[] {
  return attributes.filter((attribute) => !transientAttribute.test(attribute))
}

function specialUseOf(
  { path, specialUse, specialUseSource }: ListedMailbox,
  overrides: ReadonlyMap<SpecialUse, string>,
): Pick<Listing, 'specialUse' | 'specialUseSource'> {
  for (const [use, overridePath] of overrides)
    if (overridePath === path) return { specialUse: use, specialUseSource: 'user' }
  // INBOX in any spelling of case is the primary mailbox (RFC 9051 §5.1).
  if (isInbox({ path })) return { specialUse: '\\Inbox', specialUseSource: 'name' }
  if (!specialUse || overrides.has(specialUse)) return { specialUse: null, specialUseSource: null }
  return { specialUse, specialUseSource: specialUseSource ?? 'name' }
}

export interface ListingChanges {
  added: Listing[]
  /**
   * Stored mailboxes that can no longer be selected. Each of these mailboxes is also in `added`,
   * with its new state.
   */
  unselectable: MailboxRow[]
  /** Stored mailboxes that are absent from the server's LIST response. */
  missing: MailboxRow[]
  changed: { row: MailboxRow; listing: Listing }[]
}

/**
 * Compares a LIST response with the stored mailbox rows. A LIST response without the stored inbox
 * is incomplete, so that no mailbox counts as missing.
 */
export function compareListing(
  rows: readonly MailboxRow[],
  listings: readonly Listing[],
): ListingChanges {
  const listed = new Map(listings.map((listing) => [listing.path, listing]))
  const changes: ListingChanges = { added: [], unselectable: [], missing: [], changed: [] }
  for (const row of rows) {
    const listing = listed.get(row.path)
    if (!listing) changes.missing.push(row)
    else if (isSelectable(row) && !isSelectable(listing)) {
      changes.unselectable.push(row)
      continue // `listed` still has the mailbox, which is therefore added again
    } else if (!isSameListing(row, listing)) changes.changed.push({ row, listing })
    listed.delete(row.path)
  }
  changes.added = [...listed.values()]
  if (changes.missing.some(isInbox)) changes.missing = []
  return changes
}

function isInbox({ path }: { path: string }): boolean {
  return path.toUpperCase() === 'INBOX'
}

function isSameListing(row: MailboxRow, listing: Listing): boolean {
  return (
    row.listed &&
    row.name === listing.name &&
    row.delimiter === listing.delimiter &&
    row.parentPath === listing.parentPath &&
    row.specialUse === listing.specialUse &&
    row.specialUseSource === listing.specialUseSource &&
    row.subscribed === listing.subscribed &&
    (listing.mailboxId === null || row.mailboxId === listing.mailboxId) &&
    withoutTransient(row.attributes).join(' ') === listing.attributes.join(' ')
  )
}

/** Renamed mailbox: its stored row and its entry with a new path in the LIST response. */
export interface Rename {
  row: MailboxRow
  listing: Listing
}

/** Rename of a mailbox by this service. Children are renamed, too (RFC 9051 §6.3.6). */
export interface AppliedRename {
  from: string
  to: string
}

interface Unmatched {
  missing: readonly MailboxRow[]
  added: readonly Listing[]
}

/** Finds pairs of a missing and an added mailbox that this service's rename explains. */
export function matchAppliedRename(
  { missing, added }: Unmatched,
  { from, to }: AppliedRename,
): Rename[] {
  return missing.flatMap((row) => {
    if (row.path !== from && !row.path.startsWith(from + (row.delimiter ?? '/'))) return []
    const newPath = to + row.path.slice(from.length)
    const listing = added.find(({ path }) => path === newPath)
    return listing ? [{ row, listing }] : []
  })
}

/** Lowest UIDVALIDITY that identifies a mailbox. Old servers give all mailboxes a low value. */
const minDistinctiveUidValidity = 1_000n

/**
 * Finds renamed mailboxes: pairs of a missing and an added mailbox that are provably the same.
 * Proof is an equal MAILBOXID (RFC 8474 §4.1). Without a MAILBOXID, proof is an equal UIDVALIDITY
 * that no other mailbox has, and a UIDNEXT that did not decrease (RFC 9051 §2.3.1.1). The next sync
 * finds changes of messages made during the rename.
 */
export function findRenames(
  rows: readonly MailboxRow[],
  { missing, added }: Unmatched,
  counters: ReadonlyMap<string, Counters>,
): Rename[] {
  const renames: Rename[] = []
  for (const row of missing) {
    const matches = added.filter((listing) => isSameMailbox(rows, row, { listing, counters }))
    const [listing] = matches
    if (listing && matches.length === 1) renames.push({ row, listing })
  }
  // If two missing mailboxes match one added mailbox, no rename is proved. Both pairs are dropped.
  return renames.filter(
    ({ listing }) => renames.filter((other) => other.listing === listing).length === 1,
  )
}

function isSameMailbox(
  rows: readonly MailboxRow[],
  row: MailboxRow,
  { listing, counters }: { listing: Listing; counters: ReadonlyMap<string, Counters> },
): boolean {
  if (row.mailboxId !== null && listing.mailboxId !== null)
    return (
      row.mailboxId === listing.mailboxId &&
      rows.filter(({ mailboxId }) => mailboxId === row.mailboxId).length === 1
    )
  const current = counters.get(listing.path)
  if (!current || row.uidValidity === null || row.uidNext === null) return false
  return (
    row.uidValidity === String(current.uidValidity) &&
    current.uidValidity >= minDistinctiveUidValidity &&
    current.uidNext >= Number(row.uidNext) &&
    // A mailbox with UIDNEXT 1 never had a message and is not identified by its UIDVALIDITY.
    Number(row.uidNext) > 1 &&
    rows.filter(({ uidValidity }) => uidValidity === row.uidValidity).length === 1
  )
}
