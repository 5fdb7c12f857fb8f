import { canonicalLabel } from '../index/labels.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { isSelectable } from '../sync/mailbox-list/listing.ts'

/** What of a mailbox of Gmail tells which label it is. */
export type GmailMailbox = Pick<
  MailboxRow,
  'path' | 'specialUse' | 'specialUseSource' | 'attributes'
>

const labelsOfUses = new Map<string, string | undefined>([
  ['\\all', undefined],
  ['\\sent', '\\Sent'],
  ['\\drafts', '\\Draft'],
  ['\\flagged', '\\Starred'],
  ['\\junk', '\\Junk'],
  ['\\trash', '\\Trash'],
])

/**
 * The label that a mailbox of Gmail stands for: messages have it that are in there, and Gmail does not name it where it tells their labels.
 * All Mail is none. Spam and the trash are none to Gmail either, and get the names of their special uses. Pure.
 */
export function mailboxLabel(mailbox: GmailMailbox): string | undefined {
  const { path, specialUse, specialUseSource, attributes } = mailbox
  if (!isSelectable(mailbox)) return undefined
  if (path.toUpperCase() === 'INBOX') return '\\Inbox'
  const use = specialUse?.toLowerCase()
  // Only what Gmail says: a folder of the user's that looks like a trash by its name is a label like others.
  if (use !== undefined && specialUseSource === 'extension' && labelsOfUses.has(use))
    return labelsOfUses.get(use)
  if (attributes.some((attribute) => attribute.toLowerCase() === '\\important'))
    return '\\Important'
  return /^\[(?:gmail|google mail)\]/i.test(path) ? undefined : path
}

/** The labels of a message in a mailbox, that of the mailbox itself included, in the order of the alphabet. Pure. */
export function messageLabels(mailbox: GmailMailbox, labels: readonly string[]): string[] {
  const own = mailboxLabel(mailbox)
  return [...new Set([...labels.map(canonicalLabel), ...(own === undefined ? [] : [own])])].sort()
}
