import { defined } from '@posthorn/contracts/defined'
import { incompleteResponse, isMailApiError, MailApiError } from '../../mail-api/errors.ts'
import { isApiId, maxPageTokenLength } from '../../mail-api/ids.ts'
import { isObject, type ResponseForm } from '../../provider-client/response-form.ts'
import type { ApiPage, ListedId, MessageQuery, PageOptions } from '../../mail-api/reads.ts'
import type {
  GmailLabel,
  GmailListMessagesResponse,
  GmailMessage,
} from '../../provider-types/gmail.ts'
import { relabelled } from '../errors.ts'
import { readLabels } from '../labels.ts'
import { lookUp } from './lookups.ts'
import { type GmailRequest, type GmailRequests, idPath } from '../requests.ts'
import { type GmailQuery, planSearch } from './search.ts'

/** Maximum message ids per page of a Gmail list. */
const maxListed = 500

/** Lists one page of message ids of a Gmail mailbox. */
export async function listIds(
  requests: GmailRequests,
  { query, page }: { query: MessageQuery; page: PageOptions },
  signal: AbortSignal,
): Promise<ApiPage<ListedId>> {
  const { has = [], not = [] } = query.search?.labels ?? {}
  const labels = has.length + not.length > 0 ? await readLabels(requests, signal) : []
  const plan = planSearch({ ...query, labels })
  if (plan.kind === 'list') return listByQuery(requests, { query, page, plan: plan.query }, signal)
  const offset = offsetOf(page.pageToken)
  const matches = await lookUp(requests, { query: { ...query, labels }, plan }, signal)
  const next = offset + page.limit
  return defined({
    entries: matches.slice(offset, next).flatMap(toListedId),
    nextPageToken: next < matches.length ? String(next) : undefined,
    total: matches.length,
  })
}

/**
 * Offset of a page of messages that were looked up by their ids. This client creates the page
 * tokens of such a lookup: the token is the offset.
 */
function offsetOf(pageToken = '0'): number {
  if (/^\d{1,9}$/.test(pageToken)) return Number(pageToken)
  throw stalePage()
}

async function listByQuery(
  requests: GmailRequests,
  { query, page, plan }: { query: MessageQuery; page: PageOptions; plan: GmailQuery },
  signal: AbortSignal,
): Promise<ApiPage<ListedId>> {
  const { folderId, search = {} } = query
  const list = readPage(requests, { query: plan, page }, signal).catch((error: unknown) =>
    explain(requests, { error, query, page, signal }),
  )
  const isWhole = folderId !== undefined && Object.keys(search).length === 0
  const [listed, total] = await Promise.all([
    list,
    isWhole ? countOf(requests, folderId, signal) : undefined,
  ])
  return { ...listed, ...defined({ total }) }
}

/**
 * Number of messages with a Gmail label. Undefined if the label does not exist: the later request
 * for the list of messages then reports the missing label.
 */
async function countOf(
  requests: GmailRequests,
  id: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const { messagesTotal } = await requests.json<GmailLabel>({
      operation: 'labels.get',
      path: idPath('labels', id, 'folder-missing'),
      fields: 'messagesTotal',
      signal,
    })
    return messagesTotal
  } catch (error) {
    if (isMailApiError(error, 'message-missing') || isMailApiError(error, 'folder-missing'))
      return undefined
    throw error
  }
}

/**
 * Form of a page of a Gmail list with damaged entries. Each entry of the page is checked
 * separately. All other members of the page must have the form of an undamaged page.
 */
const damagedForm: ResponseForm = {
  lists: {},
  members: { nextPageToken: 'string', resultSizeEstimate: 'number' },
}

/**
 * Reads one page of Gmail's `messages.list`, newest first. A page with a damaged entry is requested
 * four times, then fails, or is read without the entry if `page` has `skipsDamaged`.
 */
export async function readPage(
  requests: GmailRequests,
  { query, page }: { query: GmailQuery; page: PageOptions },
  signal: AbortSignal,
): Promise<ApiPage<ListedId>> {
  const request = listRequest({ query, page }, signal)
  const list = await requests
    .json<GmailListMessagesResponse>({ ...request, check: assertIds })
    .catch((error: unknown) => {
      const isDamaged = isMailApiError(error) && error.incomplete
      if (!isDamaged || page.skipsDamaged !== true) throw error
      const lenient = { ...request, form: damagedForm, check: assertList }
      return requests.json<GmailListMessagesResponse>(lenient)
    })
  const entries = entriesOf(list, list.messages)
  const usable = entries.filter(isListed)
  const unreadable = entries.length - usable.length
  return defined({
    entries: usable.flatMap(toListedId),
    nextPageToken: tokenOf(list.nextPageToken),
    unreadable: unreadable > 0 ? unreadable : undefined,
  })
}

function listRequest(
  { query, page }: { query: GmailQuery; page: PageOptions },
  signal: AbortSignal,
): GmailRequest {
  const { labelIds, q, includeSpamTrash } = query
  return {
    operation: 'messages.list',
    path: '/messages',
    query: {
      labelIds,
      q,
      includeSpamTrash,
      maxResults: Math.min(page.limit, maxListed),
      pageToken: page.pageToken,
    },
    fields: 'messages(id,threadId),nextPageToken,resultSizeEstimate',
    signal,
  }
}

/**
 * Checks that each entry of a Gmail list has an id.
 * @throws MailApiError `unavailable`
 */
function assertIds({ messages = [] }: { messages?: readonly Partial<GmailMessage>[] }): void {
  if (!messages.every(isListed)) throw entryWithoutId()
}

/**
 * Checks that a Gmail response has a list of messages, or no messages.
 * @throws MailApiError `unavailable`
 */
function assertList({ messages = [] }: { messages?: unknown }): void {
  if (!Array.isArray(messages)) throw incompleteResponse('The messages of Gmail are no list')
}

/** True for an entry of a Gmail message list that has an id. */
function isListed(entry: unknown): entry is Partial<GmailMessage> & { id: string } {
  return isObject(entry) && 'id' in entry && typeof entry.id === 'string' && isApiId(entry.id)
}

function entryWithoutId(): MailApiError {
  return incompleteResponse('The list of Gmail has an entry without an id')
}

/**
 * Entries of a Gmail list response. For an empty list, Gmail sends a size estimate and omits the
 * member with the entries.
 * @throws MailApiError `unavailable` for an object that is no list
 */
export function entriesOf<T>(
  { resultSizeEstimate }: { resultSizeEstimate?: number },
  entries: T[] | undefined,
): T[] {
  if (entries === undefined && resultSizeEstimate === undefined)
    throw incompleteResponse('The response of Gmail is no list')
  return entries ?? []
}

/**
 * Converts an entry of a Gmail message list.
 * @throws MailApiError `unavailable` for an invalid message id: skipping the entry would hide a
 * message
 */
function toListedId({ id = '', threadId }: Partial<GmailMessage>): ListedId[] {
  if (!isApiId(id)) throw entryWithoutId()
  const isKnown = typeof threadId === 'string' && isApiId(threadId)
  return [defined({ id, threadId: isKnown ? threadId : undefined })]
}

/**
 * Page token of a Gmail response. Undefined on the last page of a list.
 * @throws MailApiError `unavailable` for a token that is too long to be stored: without the token
 * the list would end early
 */
export function tokenOf(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined
  if (token.length <= maxPageTokenLength) return token
  throw new MailApiError('unavailable', 'The page token of Gmail is too long')
}

/**
 * Finds out why Gmail refused a list request, and throws that error. Gmail uses the same error
 * reason for unknown labels and for expired page tokens.
 */
async function explain(
  requests: GmailRequests,
  context: { error: unknown; query: MessageQuery; page: PageOptions; signal: AbortSignal },
): Promise<never> {
  const { error, query, page, signal } = context
  const isUnclear = isMailApiError(error, 'refused') || isMailApiError(error, 'message-missing')
  const { folderId, search } = query
  const isNamed = folderId !== undefined || search?.labels?.has !== undefined
  if (isUnclear && isNamed) {
    const labels = new Set((await readLabels(requests, signal)).map(({ id }) => id))
    if (folderId !== undefined && !labels.has(folderId))
      throw new MailApiError('folder-missing', 'The label does not exist.')
  }
  const isStale = isUnclear && page.pageToken !== undefined
  throw isStale ? relabelled(error, { 400: 'stale-page' }) : error
}

function stalePage(): MailApiError {
  return new MailApiError('stale-page', 'Invalid pageToken', { status: 400, passesStatus: true })
}
