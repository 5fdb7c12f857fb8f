import type { MailboxRow } from '../../store/mailboxes.ts'
import { isSelectable } from '../../store/mailboxes.ts'

// Which mailboxes are looked after, and which of them is watched. Pure.

/** What of a mailbox the choice goes by. */
export type Candidate = Pick<MailboxRow, 'path' | 'specialUse' | 'attributes' | 'listed'>

export interface SelectionRules {
  /** Of the registration: paths or special uses. Everything where it is empty. */
  paths: readonly string[]
  /** Gmail's folders are labels: everything is in All Mail, apart from Junk and Trash. */
  gmail: boolean
}

const gmailUses = new Set(['\\all', '\\junk', '\\trash'])

/** The mailboxes that are looked after. */
export function selectMonitored<C extends Candidate>(
  mailboxes: readonly C[],
  { paths, gmail }: SelectionRules,
): C[] {
  const usable = mailboxes.filter((mailbox) => mailbox.listed && isSelectable(mailbox))
  if (paths.length > 0)
    return usable.filter((mailbox) => paths.some((path) => matchesName(mailbox, path)))
  // Who hides All Mail from IMAP gets the labels, each with its own copy of a message.
  const labelsOnly = gmail && usable.some((mailbox) => useOf(mailbox) === '\\all')
  return labelsOnly ? usable.filter((mailbox) => gmailUses.has(useOf(mailbox))) : usable
}

/** The mailbox that is watched: All Mail of Gmail, else the inbox, else the first that the registration names, else the first there is. */
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

/** The mailboxes that get a connection of their own: those named, apart from the one that is watched anyway. */
export function selectSubconnected<C extends Candidate>(
  monitored: readonly C[],
  names: readonly string[],
  main: C | undefined,
): C[] {
  return monitored.filter(
    (mailbox) => mailbox.path !== main?.path && names.some((name) => matchesName(mailbox, name)),
  )
}

/** Whether a path or a special use of the registration means this mailbox. */
function matchesName({ path, specialUse }: Candidate, name: string): boolean {
  if (name === path) return true
  // RFC 9051 §5.1: INBOX in any case is the primary mailbox.
  if (name.toUpperCase() === 'INBOX' && path.toUpperCase() === 'INBOX') return true
  return specialUse !== null && name.toLowerCase() === specialUse.toLowerCase()
}

function useOf({ specialUse }: Candidate): string {
  return specialUse?.toLowerCase() ?? ''
}
