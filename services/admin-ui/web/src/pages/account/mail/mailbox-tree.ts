import type { MailboxEntry } from '../../../data/mail.ts'

/** Mailbox in the tree of mailboxes, with its depth below the top level. */
export interface TreeMailbox {
  mailbox: MailboxEntry
  depth: number
}

/** Special uses of the top-level mailboxes that come first in the tree, in their order. */
const firstUses = [
  '\\Inbox',
  '\\Drafts',
  '\\Sent',
  '\\Archive',
  '\\All',
  '\\Flagged',
  '\\Junk',
  '\\Trash',
]

/** Levels of a mailbox path: `Clients/2026` has the levels `Clients` and `2026`. */
function levelsOf({ path, delimiter }: MailboxEntry): string[] {
  return delimiter === null || delimiter === '' ? [path] : path.split(delimiter)
}

/**
 * Sorts the mailboxes of an account as a tree: each mailbox comes before the mailboxes below it. On
 * the top level, mailboxes with a special use come first.
 */
export function mailboxTree(mailboxes: readonly MailboxEntry[]): TreeMailbox[] {
  const ranks = new Map(
    mailboxes.map(({ path, specialUse }) => [path, firstUses.indexOf(specialUse ?? '')]),
  )
  const rankOf = (level: string | undefined) => {
    const rank = ranks.get(level ?? '') ?? -1
    return rank === -1 ? firstUses.length : rank
  }
  return mailboxes
    .map((mailbox) => ({ mailbox, levels: levelsOf(mailbox) }))
    .toSorted(
      (first, second) =>
        rankOf(first.levels[0]) - rankOf(second.levels[0]) ||
        compareLevels(first.levels, second.levels),
    )
    .map(({ mailbox, levels }) => ({ mailbox, depth: levels.length - 1 }))
}

function compareLevels(first: readonly string[], second: readonly string[]): number {
  const length = Math.min(first.length, second.length)
  for (let index = 0; index < length; index++) {
    const order = (first[index] ?? '').localeCompare(second[index] ?? '')
    if (order !== 0) return order
  }
  return first.length - second.length
}

/** Path of the mailbox that is shown first: the Inbox, otherwise the first one with messages. */
export function firstPath(mailboxes: readonly MailboxEntry[]): string | undefined {
  const inbox = mailboxes.find(
    ({ specialUse, path }) => specialUse === '\\Inbox' || path === 'INBOX',
  )
  return (inbox ?? mailboxes.find(({ noSelect }) => noSelect !== true))?.path
}

/** Mailboxes to which messages can be moved from a mailbox, as choices of a field. */
export function moveChoices(
  mailboxes: readonly MailboxEntry[],
  from: string | undefined,
): { value: string; label: string }[] {
  return mailboxTree(mailboxes)
    .filter(({ mailbox: { path, noSelect } }) => noSelect !== true && path !== from)
    .map(({ mailbox: { path } }) => ({ value: path, label: path }))
}
