import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { listMessages, type MessagePage, searchMessages } from '@posthorn/contracts'
import { countUids } from '../index/ranges.ts'
import { messageEntry } from '../messages/entry.ts'
import { addCategories } from '../messages/gmail.ts'
import {
  buildPage,
  type PagePosition,
  pagePosition,
  type PageRequest,
  pageUids,
  requestedPage,
  sequenceNumbers,
} from '../messages/page.ts'
import { toSearchTerms } from '../messages/search-terms.ts'
import { assertConnected, getSession } from './account.ts'
import { selectIndexed } from './mailbox.ts'
import { type ReadDeps, readMailbox } from './read-caches.ts'

type ListOptions = PageRequest & { account: string; path: string }

interface FetchedPage {
  position: PagePosition
  /** Oldest first. */
  messages: FetchedMessage[]
}

/** Fetches one page of the selected mailbox, which contains `total` messages. */
type FetchPage = (
  mail: MailSession,
  total: number,
  at: { page: number; pageSize: number },
) => Promise<FetchedPage>

/** Lists one page of the current content of a mailbox, newest first. */
export function onListMessages(deps: ReadDeps): CommandHandler {
  return on(listMessages, async (request, { signal }) =>
    readPage(deps, { ...request, signal }, async (mail, total, at) => {
      const position = pagePosition(total, at)
      const range = sequenceNumbers(position)
      return { position, messages: range ? await mail.fetchBySequence(...range) : [] }
    }),
  )
}

/** Searches a mailbox and lists one page of the results, newest first. Fetches only that page. */
export function onSearchMessages(deps: ReadDeps): CommandHandler {
  return on(searchMessages, async ({ search, ...request }, { signal }) => {
    const terms = toSearchTerms(search)
    return readPage(deps, { ...request, signal }, async (mail, _total, at) => {
      const uids = await mail.search(terms)
      const position = pagePosition(countUids(uids), at)
      const messages = await Array.fromAsync(mail.fetchMessages(pageUids(uids, position)))
      return { position, messages }
    })
  })
}

async function readPage(
  deps: ReadDeps,
  { account, path, signal, ...request }: ListOptions & { signal: AbortSignal },
  fetchPage: FetchPage,
): Promise<MessagePage> {
  const session = getSession(deps, account)
  const at = { page: requestedPage(request), pageSize: request.pageSize }
  assertConnected(session)
  const target = { account, session, signal, key: path }
  const page = await readMailbox(deps, target, async (mail, row) => {
    const { messages: total } = await selectIndexed(mail, row, { session })
    const { position, messages } = await fetchPage(mail, total, at)
    const entries = messages.reverse().map((message) => messageEntry(message, row))
    return buildPage(position, await addCategories(mail, entries, await deps.settings.get()))
  })
  return { ...page, messages: await deps.bounces.addTo(deps.db, target, page.messages) }
}
