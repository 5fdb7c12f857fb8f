import { isSelectable, type MailboxRow } from '../../../../store/mailboxes.ts'
import type { ListContext } from '../context.ts'

// Pure functions that select the mailboxes to sync and the mailboxes to watch.

/** Columns of a mailbox row that the selection of synced and watched mailboxes depends on. */
export type Candidate = Pick<MailboxRow, 'path' | 'specialUse' | 'attributes' | 'listed'>

export interface SelectionRules {
  /** Paths or special uses of mailboxes in the registration. Empty: all mailboxes. */
  paths: readonly string[]
  /** True for Gmail, whose mailboxes are labels: All Mail has all messages but Junk and Trash. */
  gmail: boolean
}

export function selectionRules({ account, session }: ListContext): SelectionRules {
  return { paths: account.paths, gmail: session.capabilities.gmail }
}

const gmailUses = new Set(['\\all', '\\junk', '\\trash'])

/** Selects the mailboxes of an account that are synced. */
export function selectMonitored<C extends Candidate>(
  mailboxes: readonly C[],
  { paths, gmail }: SelectionRules,
): C[] {
  const usable = mailboxes.filter((mailbox) => mailbox.listed && isSelectable(mailbox))
  if (paths.length > 0)
    return usable.filter((mailbox) => paths.some((path) => matchesName(mailbox, path)))
  // If All Mail is hidden from IMAP, every label is synced with its own copy of a message.
  const hasAllMail = gmail && usable.some((mailbox) => useOf(mailbox) === '\\all')
  return hasAllMail ? usable.filter((mailbox) => gmailUses.has(useOf(mailbox))) : usable
}

/**
 * Selects the watched mailbox of an account: All Mail of Gmail, else the inbox, else the first
 * mailbox of `paths`, else any mailbox.
 */
export function selectMain<C extends Candidate>(
  monitored: readonly C[],
  { paths, gmail }: SelectionRules,
): C | undefined {
  const withUse = (use: string) => monitored.find((mailbox) => useOf(mailbox) === use)
  return (
    (gmail ? withUse('\\all') : undefined) ??
    withUse('\\inbox') ??
    paths
      .map((path) => monitored.find((mailbox) => matchesName(mailbox, path)))
      .find((mailbox) => mailbox !== undefined) ??
    monitored[0]
  )
}

/** Selects the mailboxes with a separate connection: `names`, without the main mailbox. */
export function selectSubconnected<C extends Candidate>(
  monitored: readonly C[],
  names: readonly string[],
  main: C | undefined,
): C[] {
  return monitored.filter(
    (mailbox) => mailbox.path !== main?.path && names.some((name) => matchesName(mailbox, name)),
  )
}

/** Path of the registration that matches none of these mailboxes. */
export function findUnknownPath(
  mailboxes: readonly Candidate[],
  { paths }: SelectionRules,
): string | undefined {
  return paths.find((path) => !mailboxes.some((mailbox) => matchesName(mailbox, path)))
}

/** True if a path or special use of the registration means this mailbox. */
function matchesName({ path, specialUse }: Candidate, name: string): boolean {
  if (name === path) return true
  // RFC 9051 §5.1: INBOX in any case is the primary mailbox.
  if (name.toUpperCase() === 'INBOX' && path.toUpperCase() === 'INBOX') return true
  return specialUse !== null && name.toLowerCase() === specialUse.toLowerCase()
}

function useOf({ specialUse }: Candidate): string {
  return specialUse?.toLowerCase() ?? ''
}
