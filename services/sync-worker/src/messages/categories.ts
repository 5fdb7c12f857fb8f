import type { MailSession } from '@posthorn/backends'
import type { MessageCategory, MessageEntry, Settings } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { rangesOf, uidsIn } from '../index/ranges.ts'

/** Tabs in the order in which they are asked about, the likelier ones first. */
const categories: readonly MessageCategory[] = [
  'primary',
  'promotions',
  'updates',
  'social',
  'forums',
]
/** UIDs of one search: a command is a line, and lines have ends. */
const maxUidsPerSearch = 250

type Categorised = Pick<MessageEntry, 'uid' | 'messageSpecialUse' | 'category'>

/**
 * Adds to messages of the open mailbox the tab of the Inbox that Gmail has them in, with `resolveGmailCategories`. Gmail tells it by searches alone: at most one a tab,
 * whatever the number of messages. A server that refuses them costs the categories and no more.
 */
export async function addCategories<T extends Categorised>(
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

/** Only what arrived is sorted into tabs. */
function isReceived({ messageSpecialUse: use }: Categorised): boolean {
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
    const having = await searchCategory(session, category, remaining)
    for (const uid of having) byUid.set(uid, category)
    remaining = remaining.filter((uid) => !byUid.has(uid))
  }
}

async function searchCategory(
  session: Pick<MailSession, 'search'>,
  category: MessageCategory,
  uids: readonly number[],
): Promise<number[]> {
  const uid = rangesOf(uids)
    .map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`))
    .join(',')
  try {
    return [...uidsIn(await session.search({ uid, gmailRaw: `category:${category}` }))]
  } catch (error) {
    if (error instanceof AppError && error.kind === 'rejected') return []
    throw error
  }
}
