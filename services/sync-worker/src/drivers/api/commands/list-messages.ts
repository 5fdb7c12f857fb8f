import type { ApiMessage, ApiPage, MessageQuery } from '@posthorn/backends/mail-api'
import type { SearchTerms } from '@posthorn/backends'
import { apiAccountTypes, type Provider } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import type { MessagePage } from '@posthorn/contracts/schemas/message'
import type { Search } from '@posthorn/contracts/schemas/search'
import {
  apiPageCursors,
  type ApiList,
  type ApiPagePosition,
  requestedApiPage,
} from '@posthorn/message-id'
import type { AccountRequest } from '../../account-driver.ts'
import { toSearchTerms } from '../../messages/search-terms.ts'
import { messageEntry } from '../messages/entry.ts'
import type { ApiCommand, ApiWork } from './api-command.ts'
import { allMessages, inScope, readNames, toLabels } from './folders.ts'

/** Lists one page of the messages in a folder, or of all messages of an account, newest first. */
export function listMessages(
  request: AccountRequest<'listMessages'>,
  provider: Provider,
): ApiWork<'listMessages'> {
  const { account, path, pageSize } = request
  const list = { kind: apiAccountTypes[provider].cursorPrefix, query: [account, path] }
  const position = requestedApiPage(request, list)
  return async (command) => {
    const page = await inScope(command, path, async (folderId) => {
      const query = defined({ folderId })
      const listed = await readPage(command, query, { position, limit: pageSize })
      return defined({ ...listed, total: listed.total ?? (await countMessages(command, folderId)) })
    })
    return describePage(command, page, { position, pageSize, list })
  }
}

/**
 * Searches the messages in a folder, or all messages of an account, and lists one page of the
 * results, newest first.
 */
export function searchMessages(
  request: AccountRequest<'searchMessages'>,
  provider: Provider,
): ApiWork<'searchMessages'> {
  const { account, path = allMessages, pageSize, search, useOutlookSearch = false } = request
  const query = [account, path, search, useOutlookSearch]
  const list = { kind: apiAccountTypes[provider].cursorPrefix, query }
  const position = requestedApiPage(request, list)
  return async (command) => {
    const terms = await toTerms(command, search)
    const indexed = useOutlookSearch || undefined
    const page = await inScope(command, path, (folderId) => {
      const matching = defined({ folderId, search: terms, indexed })
      return readPage(command, matching, { position, limit: pageSize })
    })
    return describePage(command, page, { position, pageSize, list })
  }
}

/** Search terms of a request, in which the names of labels are replaced by the labels' ids. */
export async function toTerms(command: ApiCommand, search: Search): Promise<SearchTerms> {
  const terms = toSearchTerms(search)
  if (!terms.labels) return terms
  const { has = [], not = [] } = terms.labels
  const labels = { has: await toLabels(command, has), not: await toLabels(command, not) }
  return { ...terms, labels }
}

function readPage(
  { api, signal }: ApiCommand,
  query: MessageQuery,
  { position, limit }: { position: ApiPagePosition; limit: number },
): Promise<ApiPage<ApiMessage>> {
  const pageToken = position.tokens.at(-1)
  return api.listMessages(query, defined({ pageToken, limit }), signal)
}

/** Number of messages in a folder. Used if the list of messages contains no total. */
async function countMessages(
  { api, signal }: ApiCommand,
  folderId: string | undefined,
): Promise<number | undefined> {
  return folderId === undefined ? undefined : (await api.folderCounts(folderId, signal)).messages
}

interface PageOptions {
  position: ApiPagePosition
  pageSize: number
  list: ApiList
}

/**
 * Builds the description of a page of messages. If the provider reports no total, `total` is the
 * number of messages up to the end of this page, plus 1 if another page follows.
 */
async function describePage(
  command: ApiCommand,
  { entries, nextPageToken, total }: ApiPage<ApiMessage>,
  { position, pageSize, list }: PageOptions,
): Promise<MessagePage> {
  const { page } = position
  const next = nextPageToken === undefined ? 0 : 1
  const counted = total ?? page * pageSize + entries.length + next
  const names = await readNames(command)
  const settings = await command.settings.get()
  const messages = entries.map((message) => messageEntry(message, names, settings))
  return {
    total: counted,
    page,
    pages: Math.max(Math.ceil(counted / pageSize), page + 1 + next),
    ...apiPageCursors(position, list, nextPageToken),
    messages: await command.bounces.addTo(command.db, command, messages),
  }
}
