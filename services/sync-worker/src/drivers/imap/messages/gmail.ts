import type { MailSession } from '@posthorn/backends'
import type { MessageCategory, MessageEntry } from '@posthorn/contracts/schemas/message'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { canonicalLabel } from '../index/flag-names.ts'
import { formatSequenceSet, rangesOf, uidsIn } from '../index/ranges.ts'
import { isSelectable, type MailboxRow } from '../../../store/mailboxes.ts'
import { undefinedIf } from '../../messages/undefined-if.ts'

// Functions for Gmail: labels for which mailboxes stand, and categories (tabs of the inbox).

/** Columns of a mailbox row that determine the label of a Gmail mailbox. */
export type GmailMailbox = Pick<
  MailboxRow,
  'path' | 'specialUse' | 'specialUseSource' | 'attributes'
>

const specialUseLabels = new Map<string, string | undefined>([
  ['\\all', undefined],
  ['\\sent', '\\Sent'],
  ['\\drafts', '\\Draft'],
  ['\\flagged', '\\Starred'],
  ['\\junk', '\\Junk'],
  ['\\trash', '\\Trash'],
])

/**
 * Label for which a Gmail mailbox stands. In that mailbox, X-GM-LABELS of a message does not
 * contain the label. Undefined for All Mail. Spam and Trash have the names of their special uses.
 * Pure.
 */
export function mailboxLabel(mailbox: GmailMailbox): string | undefined {
  const { path, specialUse, specialUseSource, attributes } = mailbox
  if (!isSelectable(mailbox)) return undefined
  if (path.toUpperCase() === 'INBOX') return '\\Inbox'
  const use = specialUse?.toLowerCase()
  // For labels of Gmail, only special uses that Gmail reports count. A special use derived from the
  // path belongs to an ordinary label.
  if (use !== undefined && specialUseSource === 'extension' && specialUseLabels.has(use))
    return specialUseLabels.get(use)
  if (attributes.some((attribute) => attribute.toLowerCase() === '\\important'))
    return '\\Important'
  return /^\[(?:gmail|google mail)\]/i.test(path) ? undefined : path
}

/** Labels of a message in a Gmail mailbox, with the label of the mailbox, sorted. Pure. */
export function messageLabels(mailbox: GmailMailbox, labels: readonly string[]): string[] {
  const own = mailboxLabel(mailbox)
  return [...new Set([...labels.map(canonicalLabel), ...(own === undefined ? [] : [own])])].sort()
}

/** Gmail categories in the order in which they are searched, the most frequent category first. */
const categories: readonly MessageCategory[] = [
  'primary',
  'promotions',
  'updates',
  'social',
  'forums',
]
/** Maximum UIDs per search command at Gmail, because servers limit the length of a command line. */
const maxUidsPerSearch = 250

type CategorisedEntry = Pick<MessageEntry, 'uid' | 'messageSpecialUse' | 'category'>

/**
 * Sets the Gmail category of messages in the selected mailbox if `resolveGmailCategories` is on.
 * Categories are available only by searches: at most one search per category for 250 messages. If
 * Gmail rejects a search, the category stays unset.
 */
export async function addCategories<T extends CategorisedEntry>(
  session: Pick<MailSession, 'capabilities' | 'search'>,
  messages: T[],
  { resolveGmailCategories = false }: Settings,
): Promise<T[]> {
  if (!resolveGmailCategories || !session.capabilities.gmail) return messages
  const byUid = new Map<number, MessageCategory>()
  const uids = messages.filter(isReceived).flatMap(({ uid }) => uid ?? [])
  for (let from = 0; from < uids.length; from += maxUidsPerSearch)
    await findCategories(session, uids.slice(from, from + maxUidsPerSearch), byUid)
  for (const message of messages) {
    const category = byUid.get(message.uid ?? 0)
    if (category) message.category = category
  }
  return messages
}

/** True for received messages. Other messages have no Gmail category. */
function isReceived({ messageSpecialUse: use }: CategorisedEntry): boolean {
  return use === undefined || use === '\\Inbox'
}

async function findCategories(
  session: Pick<MailSession, 'search'>,
  uids: readonly number[],
  byUid: Map<number, MessageCategory>,
): Promise<void> {
  let remaining = [...uids]
  for (const category of categories) {
    if (remaining.length === 0) return
    const uid = formatSequenceSet(rangesOf(remaining))
    const search = session.search({ uid, gmailRaw: `category:${category}` })
    const matches = await undefinedIf(search, 'rejected')
    for (const match of uidsIn(matches ?? [])) byUid.set(match, category)
    remaining = remaining.filter((candidate) => !byUid.has(candidate))
  }
}
