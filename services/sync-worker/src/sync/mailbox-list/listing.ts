import type { ListedMailbox } from '@posthorn/backends'
import type { ImapConfig, SpecialUse } from '@posthorn/contracts'
import { isSelectable, type Listing, type MailboxRow } from '../../store/mailboxes.ts'

// What a listing of the server means: special uses, and what came and went since the last one. Pure.

type Overrides = Pick<
  ImapConfig,
  'sentMailPath' | 'draftsMailPath' | 'junkMailPath' | 'trashMailPath' | 'archiveMailPath'
>

/** RFC 9051 §7.3.1: whether something came since a client last looked. Counters say it better, and each look would change it. */
const passing = /^\\(?:un)?marked$/i

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
  const { path, name, delimiter, parentPath, subscribed, selectable } = mailbox
  const attributes = lasting(mailbox.attributes)
  const known = selectable || !isSelectable({ attributes })
  return {
    path,
    name,
    delimiter,
    parentPath: parentPath === '' ? null : parentPath,
    subscribed,
    attributes: known ? attributes : [...attributes, '\\Noselect'],
    mailboxId: mailbox.mailboxId ?? null,
    ...specialUseOf(mailbox, chosen),
  }
}

function lasting(attributes: readonly string[]): string[] {
  return attributes.filter((attribute) => !passing.test(attribute))
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
  /** Their messages are gone for good: they cannot be selected any more. Each is among `added`, as what it is now. */
  unselectable: MailboxRow[]
  /** Left out of the listing. */
  missing: MailboxRow[]
  changed: { row: MailboxRow; listing: Listing }[]
}

/**
 * What came, went and looks different since the rows were stored. From a listing that lacks the inbox, although there was one, nothing
 * is concluded about what it leaves out.
 */
export function compareListing(
  rows: readonly MailboxRow[],
  listings: readonly Listing[],
): ListingChanges {
  const now = new Map(listings.map((listing) => [listing.path, listing]))
  const changes: ListingChanges = { added: [], unselectable: [], missing: [], changed: [] }
  for (const row of rows) {
    const listing = now.get(row.path)
    if (!listing) changes.missing.push(row)
    else if (isSelectable(row) && !isSelectable(listing)) {
      changes.unselectable.push(row)
      continue // stays in `now`: it comes back as what it is
    } else if (!sameListing(row, listing)) changes.changed.push({ row, listing })
    now.delete(row.path)
  }
  changes.added = [...now.values()]
  if (changes.missing.some(isInbox)) changes.missing = []
  return changes
}

function isInbox({ path }: { path: string }): boolean {
  return path.toUpperCase() === 'INBOX'
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
    (listing.mailboxId === null || row.mailboxId === listing.mailboxId) &&
    lasting(row.attributes).join(' ') === listing.attributes.join(' ')
  )
}
