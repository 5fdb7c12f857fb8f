import type { ListedMailbox } from '@posthorn/backends'
import type { ImapConfig, SpecialUse } from '@posthorn/contracts'
import type { Listing, MailboxRow } from '../store/mailboxes.ts'

// What a listing of the server means: special uses, and what came and went since the last one. Pure.

type Overrides = Pick<
  ImapConfig,
  'sentMailPath' | 'draftsMailPath' | 'junkMailPath' | 'trashMailPath' | 'archiveMailPath'
>

const unselectable = /^\\(?:noselect|nonexistent)$/i

/** Whether there can be messages in it. */
export function isSelectable({ attributes }: Pick<Listing, 'attributes'>): boolean {
  return !attributes.some((attribute) => unselectable.test(attribute))
}

/** A server's listing in our words. What the account's registration says of special uses comes before what the server says. */
export function describeListing(listed: readonly ListedMailbox[], overrides: Overrides): Listing[] {
  const chosen = new Map<SpecialUse, string>()
  const choose = (use: SpecialUse, path: string | null | undefined) => {
    if (path && listed.some((mailbox) => mailbox.path === path)) chosen.set(use, path)
  }
  choose('\\Sent', overrides.sentMailPath)
  choose('\\Drafts', overrides.draftsMailPath)
  choose('\\Junk', overrides.junkMailPath)
  choose('\\Trash', overrides.trashMailPath)
  choose('\\Archive', overrides.archiveMailPath)
  // Some servers list INBOX twice: the last one counts.
  return [...new Map(listed.map((mailbox) => [mailbox.path, describe(mailbox, chosen)])).values()]
}

function describe(mailbox: ListedMailbox, chosen: ReadonlyMap<SpecialUse, string>): Listing {
  const { path, name, delimiter, parentPath, subscribed, attributes, selectable } = mailbox
  const known = selectable || attributes.some((attribute) => unselectable.test(attribute))
  return {
    path,
    name,
    delimiter,
    parentPath: parentPath === '' ? null : parentPath,
    subscribed,
    attributes: known ? attributes : [...attributes, '\\Noselect'],
    ...specialUseOf(mailbox, chosen),
  }
}

function specialUseOf(
  { path, specialUse, specialUseSource }: ListedMailbox,
  chosen: ReadonlyMap<SpecialUse, string>,
): Pick<Listing, 'specialUse' | 'specialUseSource'> {
  for (const [use, chosenPath] of chosen)
    if (chosenPath === path) return { specialUse: use, specialUseSource: 'user' }
  // RFC 9051 §5.1: INBOX in any case is the primary mailbox.
  if (path.toUpperCase() === 'INBOX') return { specialUse: '\\Inbox', specialUseSource: 'name' }
  if (!specialUse || chosen.has(specialUse)) return { specialUse: null, specialUseSource: null }
  return { specialUse, specialUseSource: specialUseSource ?? 'name' }
}

export interface ListingChanges {
  added: Listing[]
  gone: MailboxRow[]
  changed: { row: MailboxRow; listing: Listing }[]
}

/** What came, went and looks different since the rows were stored. A mailbox that lost its messages for good (`\Noselect`) went and came. */
export function compareListing(
  rows: readonly MailboxRow[],
  listings: readonly Listing[],
): ListingChanges {
  const now = new Map(listings.map((listing) => [listing.path, listing]))
  const changes: ListingChanges = { added: [], gone: [], changed: [] }
  for (const row of rows) {
    const listing = now.get(row.path)
    if (!listing) changes.gone.push(row)
    else if (isSelectable(row) && !isSelectable(listing)) {
      changes.gone.push(row)
      continue // stays in `now`: it comes back as what it is
    } else if (!sameListing(row, listing)) changes.changed.push({ row, listing })
    now.delete(row.path)
  }
  changes.added = [...now.values()]
  return changes
}

function sameListing(row: MailboxRow, listing: Listing): boolean {
  return (
    row.listed &&
    row.name === listing.name &&
    row.delimiter === listing.delimiter &&
    row.parentPath === listing.parentPath &&
    row.specialUse === listing.specialUse &&
    row.specialUseSource === listing.specialUseSource &&
    row.subscribed === listing.subscribed &&
    row.attributes.join(' ') === listing.attributes.join(' ')
  )
}

/** Whether a mailbox is looked after: all are, or those that the registration names by path or special use. */
export function isMonitored(
  row: Pick<Listing, 'path' | 'specialUse' | 'attributes'>,
  paths: readonly string[],
): boolean {
  if (!isSelectable(row)) return false
  return (
    paths.length === 0 ||
    paths.some((path) => path === row.path || path.toLowerCase() === row.specialUse?.toLowerCase())
  )
}
