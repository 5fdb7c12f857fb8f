import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { fieldError } from '@posthorn/contracts/describe-error'
import type { MessagePage } from '@posthorn/contracts/schemas/message'
import { validationError } from '@posthorn/contracts/validate'
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
import { toSearchTerms } from '../../messages/search-terms.ts'
import type { AccountRequest } from '../../account-driver.ts'
import { assertConnected } from '../../availability.ts'
import type { AccountCommand } from './account.ts'
import { selectIndexed } from './mailbox.ts'
import { type ReadDeps, readMailbox } from './read-caches.ts'

type ListOptions = PageRequest & { path: string; target: AccountCommand }

interface FetchedPage {
  position: PagePosition
  /** Fetched messages of the requested page of a mailbox, oldest first. */
  messages: FetchedMessage[]
}

/** Fetches a page of messages of the selected mailbox, which contains `total` messages. */
type FetchPage = (
  mail: MailSession,
  total: number,
  at: { page: number; pageSize: number },
) => Promise<FetchedPage>

/** Lists one page of the current content of a mailbox, newest first. */
export function listMessages(
  request: AccountRequest<'listMessages'>,
  target: AccountCommand,
  deps: ReadDeps,
): Promise<MessagePage> {
  return readPage(deps, { ...request, target }, async (mail, total, at) => {
    const position = pagePosition(total, at)
    const range = sequenceNumbers(position)
    return { position, messages: range ? await mail.fetchBySequence(...range) : [] }
  })
}

/** Searches a mailbox and lists one page of the results, newest first. Fetches only that page. */
export async function searchMessages(
  { search, path, useOutlookSearch: _ignored, ...request }: AccountRequest<'searchMessages'>,
  target: AccountCommand,
  deps: ReadDeps,
): Promise<MessagePage> {
  // A search request needs the path of a mailbox, because an IMAP search covers only one mailbox.
  if (path === undefined) throw validationError([fieldError('path', 'is required')])
  const terms = toSearchTerms(search)
  return readPage(deps, { ...request, path, target }, async (mail, _total, at) => {
    const uids = await mail.search(terms)
    const position = pagePosition(countUids(uids), at)
    const messages = await Array.fromAsync(mail.fetchMessages(pageUids(uids, position)))
    return { position, messages }
  })
}

async function readPage(
  deps: ReadDeps,
  { path, target, ...request }: ListOptions,
  fetchPage: FetchPage,
): Promise<MessagePage> {
  const { session } = target
  const at = { page: requestedPage(request), pageSize: request.pageSize }
  assertConnected(session.context)
  const page = await readMailbox(deps, { ...target, key: path }, async (mail, row) => {
    const { messages: total } = await selectIndexed(mail, row, { session })
    const { position, messages } = await fetchPage(mail, total, at)
    const entries = messages.reverse().map((message) => messageEntry(message, row))
    return buildPage(position, await addCategories(mail, entries, await deps.settings.get()))
  })
  return { ...page, messages: await deps.bounces.addTo(deps.db, target, page.messages) }
}
