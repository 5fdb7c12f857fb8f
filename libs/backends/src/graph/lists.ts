import { defined } from '@posthorn/contracts/defined'
import { incompleteResponse, MailApiError } from '../mail-api/errors.ts'
import type { ApiPage, MessageQuery, PageOptions } from '../mail-api/reads.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import { type BatchPart, sendAll } from './batch.ts'
import { type GraphClient, linkQuery } from './graph-client.ts'
import { isPageFailure, listAround, type ListResponse } from './list-around.ts'
import {
  encodePosition,
  encodeTime,
  isOneTime,
  type Resumed,
  resumedAt,
  resumedFilter,
  unseenOf,
} from './list-by-time.ts'
import { entriesOf } from './list-entries.ts'
import { type ListPlan, planList } from './list-plan.ts'
import { isId, receivedAt } from './message-fields.ts'

export interface ListRequest {
  query: MessageQuery
  page: PageOptions
  /**
   * Value of `$select` for a message list. Includes the properties that are needed to check the
   * listed messages against search terms.
   */
  select: string
  signal: AbortSignal
}

type RawPage = ApiPage<GraphMessage>

/** Maximum messages in a page of a Graph list, and maximum messages that are read of a thread. */
const maxTop = 1_000

/** Reads one page of a Graph message list. @throws MailApiError `folder-missing`, `stale-page` */
export function listPage(client: GraphClient, request: ListRequest): Promise<RawPage> {
  const plan = planList(request.query)
  if (plan.kind === 'ids') return idsPage(client, plan, request)
  if (plan.kind === 'thread') return threadPage(client, plan.filter, request)
  if (plan.kind === 'index') return servicePage(client, plan, request)
  return servicePage(client, plan, request).catch((error: unknown) => {
    const { pageToken } = request.page
    const resumed = resumedAt(pageToken)
    const skip = resumed ? resumed.skip : positionOf(pageToken)
    if (!isPageFailure(error) || skip === undefined) throw error
    return pageAround(client, { filter: plan.filter, skip, resumed }, request)
  })
}

/**
 * Path of a Graph message, relative to the mailbox.
 * @throws MailApiError for an id that cannot be part of a path: the same error as for a missing
 * message
 */
export function messagePath(id: string): string {
  if (!isId(id) || /^\.\.?$/.test(id))
    throw new MailApiError('message-missing', 'The message does not exist')
  return `/messages/${encodeURIComponent(id)}`
}

export function folderPath(id: string): string {
  if (!isId(id) || /^\.\.?$/.test(id))
    throw new MailApiError('folder-missing', 'The folder does not exist')
  return `/mailFolders/${encodeURIComponent(id)}`
}

interface ReadOptions {
  ids: readonly string[]
  select: string
  /** Value of `$expand` in a request for a list of Graph messages. */
  expand?: string
  signal: AbortSignal
}

/** Reads Graph messages by id, in the order of the ids. Missing messages are left out. */
export async function readMessages(
  client: GraphClient,
  { ids, select, expand, signal }: ReadOptions,
): Promise<GraphMessage[]> {
  const readable = ids.filter((id) => isId(id) && !/^\.\.?$/.test(id))
  const parts = readable.map((id): BatchPart => ({
    path: messagePath(id),
    query: { $select: select, $expand: expand },
  }))
  const messages: GraphMessage[] = []
  for (const result of await sendAll<GraphMessage>(client, parts, signal)) {
    if ('body' in result) messages.push(result.body)
    else if (!['message-missing', 'unreadable-id'].includes(result.error.failure))
      throw result.error
  }
  return messages
}

async function idsPage(
  client: GraphClient,
  { ids, check }: Extract<ListPlan, { kind: 'ids' }>,
  { query: { folderId }, page, select, signal }: ListRequest,
): Promise<RawPage> {
  const start = offsetOf(page.pageToken)
  const wanted = ids.slice(start, start + page.limit)
  const messages = await readMessages(client, { ids: wanted, select, signal })
  const entries = messages.filter(
    (message) => check(message) && (folderId ?? message.parentFolderId) === message.parentFolderId,
  )
  const next = start + page.limit
  return defined({ entries, nextPageToken: next < ids.length ? `i${next}` : undefined })
}

/**
 * Page of the messages of a Graph thread. Graph cannot order messages that are filtered by thread,
 * so all messages of the thread are read for each page.
 */
async function threadPage(
  client: GraphClient,
  filter: string,
  { query, page, select, signal }: ListRequest,
): Promise<RawPage> {
  const path = pathOf(query)
  const options = { $select: select, $filter: filter, $top: String(maxTop) }
  const response = await client.json<ListResponse>({
    path,
    query: options,
    missing: 'folder-missing',
    signal,
  })
  const sorted = entriesOf(response).sort(
    (one, other) => receivedAt(other).getTime() - receivedAt(one).getTime(),
  )
  const start = offsetOf(page.pageToken)
  const next = start + page.limit
  return defined({
    entries: sorted.slice(start, next),
    total: sorted.length,
    nextPageToken: next < sorted.length ? `i${next}` : undefined,
  })
}

async function servicePage(
  client: GraphClient,
  plan: Extract<ListPlan, { kind: 'filter' | 'index' }>,
  request: ListRequest,
): Promise<RawPage> {
  const { page, query, signal } = request
  const resumed = resumedAt(page.pageToken)
  const response = await client.json<ListResponse>({
    path: pathOf(query),
    query: pageQuery(plan, request, resumed),
    missing: 'folder-missing',
    signal,
  })
  const listed = entriesOf(response)
  if (!listed.every(({ id }) => isId(id)))
    throw incompleteResponse('The provider sent an entry without an id')
  const messages = unseenOf(listed, resumed)
  const count = response['@odata.count']
  return defined({
    entries: plan.kind === 'index' ? messages.filter(plan.check) : messages,
    total: typeof count === 'number' && !resumed ? count : undefined,
    nextPageToken: nextToken(plan, { listed, response, page, resumed }),
  })
}

/**
 * Reads a page of a message list that failed because of a damaged message. The token of the next
 * page has the form `d{position}`, or the time of the page that failed and a position.
 */
async function pageAround(
  client: GraphClient,
  { filter, skip: start, resumed }: FailedPage,
  { query, page: { limit }, select, signal }: ListRequest,
): Promise<RawPage> {
  const $filter = resumed ? resumedFilter(query, resumed) : filter
  const list = {
    path: pathOf(query),
    query: { $select: select, $filter, $orderby: 'receivedDateTime desc' },
    skip: start,
    limit,
  }
  const { page, skip } = await listAround(client, list, signal)
  const listed = entriesOf(page)
  const entries = unseenOf(listed, resumed)
  if (page['@odata.nextLink'] === undefined) return { entries }
  const next = skip + listed.length
  return { entries, nextPageToken: resumed ? encodePosition(resumed, next) : `d${next}` }
}

/**
 * Page of a list of Graph messages that Graph failed to send: its position in the list, or the time
 * at which the list is continued.
 */
interface FailedPage {
  filter: string | undefined
  skip: number
  resumed: Resumed | undefined
}

/**
 * Position of the first message of a page within a list of Graph messages. Undefined if the page
 * token does not contain the position.
 */
function positionOf(token: string | undefined): number | undefined {
  if (token === undefined) return 0
  const skip = token.startsWith('d')
    ? token.slice(1)
    : new URLSearchParams(token.slice(1)).get('$skip')
  return skip !== null && /^\d{1,7}$/.test(skip) ? Number(skip) : undefined
}

function pathOf({ folderId }: MessageQuery): string {
  return folderId === undefined ? '/messages' : `${folderPath(folderId)}/messages`
}

function pageQuery(
  plan: Extract<ListPlan, { kind: 'filter' | 'index' }>,
  { query, page, select }: ListRequest,
  resumed?: Resumed,
): string | Record<string, string | undefined> {
  if (page.pageToken?.startsWith('n')) return page.pageToken.slice(1)
  const $top = String(page.limit)
  const $skip = page.pageToken?.startsWith('d') ? page.pageToken.slice(1) : skipOf(resumed)
  if (plan.kind === 'index') return { $select: select, $search: plan.search, $top }
  const filter = resumed ? resumedFilter(query, resumed) : plan.filter
  return {
    $select: select,
    $filter: filter,
    $orderby: 'receivedDateTime desc',
    $count: resumed ? undefined : 'true',
    $top,
    $skip,
  }
}

/** Page of a list of Graph messages as Graph sent it, and the request for the page. */
interface ReadPage {
  listed: GraphMessage[]
  response: ListResponse
  page: PageOptions
  resumed: Resumed | undefined
}

function nextToken(
  plan: ListPlan,
  { listed, response, page, resumed }: ReadPage,
): string | undefined {
  const link = response['@odata.nextLink']
  const isFiltered = plan.kind === 'filter' && plan.filter !== undefined
  if (typeof link === 'string') {
    if (page.byTime && isFiltered && !isOneTime(listed)) return encodeTime(listed)
    return resumed ? encodePosition(resumed, resumed.skip + listed.length) : `n${linkQuery(link)}`
  }
  const count = response['@odata.count']
  const isAll = typeof count === 'number' && page.pageToken === undefined && count <= listed.length
  const isFull = listed.length >= page.limit
  return isFiltered && isFull && !isAll ? encodeTime(listed) : undefined
}

function skipOf(resumed: Resumed | undefined): string | undefined {
  return resumed && resumed.skip > 0 ? String(resumed.skip) : undefined
}

function offsetOf(token: string | undefined): number {
  if (token === undefined) return 0
  const [, digits] = /^i(\d{1,6})$/.exec(token) ?? []
  if (digits === undefined) throw new MailApiError('stale-page', 'The page token is invalid')
  return Number(digits)
}
