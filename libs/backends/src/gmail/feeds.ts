import { defined } from '@posthorn/contracts/defined'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ChangesPage, FeedPosition, MailApiFeeds, MessageChange } from '../mail-api/feeds.ts'
import type { GmailListHistoryResponse, GmailProfile } from '../provider-types/gmail.ts'
import { changesOfHistory } from './history.ts'
import { changeOfLabel, readLabels } from './labels.ts'
import { readPage, tokenOf } from './lists/listing.ts'
import type { GmailRequests } from './requests.ts'

/** The only feed of a mailbox. */
const mailboxFeed = { id: 'mailbox' }

/** Records per page, so that changes are committed every 100 records. */
const maxRecords = 100
const maxHistoryBytes = 16 * 1024 * 1024

/** Position in a full round: the list of one label, or of the mailbox (an empty id). */
interface RoundCursor {
  /** History id of the profile before the first list. Changes since then follow the round. */
  start: string
  /** List that is being read. Absent: the first one after `done`. */
  label?: string
  page?: string
  /** Last list that is complete. Lists are read in the order of the ids. */
  done?: string
}

interface HistoryCursor {
  since: string
  /** Token of a page without records. */
  page?: string
}

/** Changes over lists and the history of the mailbox. */
export function gmailFeeds(requests: GmailRequests): MailApiFeeds {
  return {
    feeds: () => [mailboxFeed],
    async changes(_feed, position, signal) {
      const cursor = position.cursor === undefined ? undefined : readCursor(position.cursor)
      if (cursor && 'since' in cursor) return readHistory(requests, { cursor, position }, signal)
      const round = cursor ?? { start: await readHistoryId(requests, signal), label: '' }
      return readRound(requests, { cursor: round, position }, signal)
    },
  }
}

async function readHistoryId(requests: GmailRequests, signal: AbortSignal): Promise<string> {
  const { historyId } = await requests.json<GmailProfile>({
    operation: 'getProfile',
    path: '/profile',
    fields: 'historyId',
    signal,
  })
  if (isHistoryId(historyId)) return historyId
  throw new MailApiError('unavailable', 'The profile has no history id')
}

/** Reads one page of a list. Lists without messages are skipped, some per call. */
async function readRound(
  requests: GmailRequests,
  { cursor, position }: { cursor: RoundCursor; position: FeedPosition },
  signal: AbortSignal,
): Promise<ChangesPage> {
  const { start } = cursor
  let { label, page } = cursor
  let done = cursor.done ?? ''
  let labels: string[] | undefined
  for (let lists = 0; ; lists++) {
    if (label === undefined) {
      labels ??= (await readLabels(requests, signal)).map(({ id }) => id).sort()
      label = labels.find((id) => id > done)
      if (label === undefined) return pageOf({ since: start }, { full: true, complete: true })
    }
    const list = await readList(requests, { label, page, limit: position.limit }, signal)
    const next =
      list.next === undefined ? { start, done: label } : { start, label, page: list.next }
    if (list.changed.length > 0 || list.next !== undefined || lists === maxEmptyLists)
      return pageOf(next, { full: true, changed: list.changed })
    done = label
    label = undefined
    page = undefined
  }
}

/** Lists per call that may be empty: a call takes seconds, also with 10,000 labels. */
const maxEmptyLists = 20

async function readList(
  requests: GmailRequests,
  { label, page, limit }: { label: string; page: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<{ changed: MessageChange[]; next?: string | undefined }> {
  const labelIds = label === '' ? [] : [label]
  try {
    const { entries, nextPageToken } = await readPage(
      requests,
      {
        query: { labelIds, includeSpamTrash: true },
        page: defined({ limit, pageToken: page }),
      },
      signal,
    )
    return {
      changed: entries.map((entry) => ({ ...entry, ...entryOf(label) })),
      next: nextPageToken,
    }
  } catch (error) {
    const isRefused = isMailApiError(error, 'refused') || isMailApiError(error, 'message-missing')
    if (!isRefused) throw error
    // The page token expired: the list starts again. Or the label was deleted during the round.
    if (page !== undefined) return readList(requests, { label, page: undefined, limit }, signal)
    if (label !== '') return { changed: [] }
    throw error
  }
}

function entryOf(id: string): Partial<MessageChange> {
  if (id === '') return {}
  const { flags, label } = changeOfLabel(id, true)
  return { ...flags, ...(label !== undefined && { addedLabels: [label] }) }
}

async function readHistory(
  requests: GmailRequests,
  { cursor, position }: { cursor: HistoryCursor; position: FeedPosition },
  signal: AbortSignal,
): Promise<ChangesPage> {
  const { since, page } = cursor
  const response = await requestHistory(requests, { cursor, limit: position.limit }, signal)
  const { history = [], historyId } = response
  const { cutAt, ...changes } = changesOfHistory(history)
  const nextPage = tokenOf(response.nextPageToken)
  const last = cutAt ?? history.at(-1)?.id
  if (cutAt === undefined && nextPage === undefined)
    return pageOf({ since: latest(since, historyId) }, { ...changes, complete: true })
  // A page without records is not the end (gauteh/lieer issues 22, 24).
  if (last === undefined || latest(since, last) === since)
    return pageOf(defined({ since, page: nextPage === page ? undefined : nextPage }), changes)
  return pageOf({ since: last }, changes)
}

async function requestHistory(
  requests: GmailRequests,
  { cursor, limit }: { cursor: HistoryCursor; limit: number },
  signal: AbortSignal,
): Promise<Partial<GmailListHistoryResponse>> {
  const ids = 'message(id,threadId)'
  try {
    return await requests.json<GmailListHistoryResponse>({
      operation: 'history.list',
      path: '/history',
      query: {
        startHistoryId: cursor.since,
        maxResults: Math.min(limit, maxRecords),
        pageToken: cursor.page,
      },
      fields:
        `history(id,messagesAdded(message(id,threadId,labelIds)),messagesDeleted(${ids}),` +
        `labelsAdded(${ids},labelIds),labelsRemoved(${ids},labelIds)),nextPageToken,historyId`,
      maxBytes: maxHistoryBytes,
      signal,
    })
  } catch (error) {
    if (cursor.page !== undefined && isMailApiError(error, 'refused'))
      return requestHistory(requests, { cursor: { since: cursor.since }, limit }, signal)
    throw asStale(error)
  }
}

/** Gmail keeps the history for a week, at times for hours. */
function asStale(error: unknown): unknown {
  const isExpired = isMailApiError(error, 'message-missing') || isMailApiError(error, 'refused')
  return isExpired ? staleCursor(error) : error
}

function staleCursor(cause?: unknown): MailApiError {
  return new MailApiError('stale-cursor', 'The history since the cursor is no longer available.', {
    warning: 'historyIdExpired',
    cause,
  })
}

/** The larger of two history ids: a position never moves back. */
function latest(one: string, other: string | undefined): string {
  return isHistoryId(other) && BigInt(other) > BigInt(one) ? other : one
}

function isHistoryId(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,19}$/.test(value)
}

function pageOf(cursor: RoundCursor | HistoryCursor, page: Partial<ChangesPage>): ChangesPage {
  const text = Buffer.from(JSON.stringify(cursor)).toString('base64url')
  return { full: false, changed: [], removed: [], complete: false, ...page, cursor: text }
}

/** Reads a cursor that `pageOf` wrote. A token is at most 8,192 of its 16,384 characters. */
function readCursor(text: string): RoundCursor | HistoryCursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as object
    if ('since' in cursor && isHistoryId(cursor.since)) return cursor as HistoryCursor
    if ('start' in cursor && isHistoryId(cursor.start)) return cursor as RoundCursor
  } catch (error) {
    throw staleCursor(error)
  }
  throw staleCursor()
}
