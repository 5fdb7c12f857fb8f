import { defined } from '@posthorn/contracts/defined'
import { incompleteResponse, isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ChangesPage, FeedPosition, MailApiFeeds } from '../mail-api/feeds.ts'
import type { GmailListHistoryResponse, GmailProfile } from '../provider-types/gmail.ts'
import { assertMessageIds, changesOfHistory } from './history.ts'
import { tokenOf } from './lists/listing.ts'
import type { GmailRequests } from './requests.ts'
import { FullRounds, type RoundCursor } from './rounds.ts'

/** Change list (feed) of a Gmail mailbox. A Gmail mailbox has only this feed. */
const mailboxFeed = { id: 'mailbox' }

/** Maximum Gmail history records per page, so that changes are committed every 100 records. */
const maxRecords = 100
const maxHistoryBytes = 16 * 1024 * 1024

interface HistoryCursor {
  since: string
  /** Page token of a page of the Gmail history that had no records. */
  page?: string
}

/** Reads the changes of a Gmail mailbox from its message lists and its history. */
export function gmailFeeds(requests: GmailRequests): MailApiFeeds {
  const rounds = new FullRounds(requests)
  return {
    feeds: () => [mailboxFeed],
    async changes(_feed, position, signal) {
      const cursor = position.cursor === undefined ? undefined : readCursor(position.cursor)
      if (cursor && 'since' in cursor) return readHistory(requests, { cursor, position }, signal)
      const round = cursor ?? { start: await readHistoryId(requests, signal), label: '' }
      const { next, ...page } = await rounds.read(round, position, signal)
      const complete = next === undefined
      return pageOf(next ?? { since: round.start }, { full: true, complete, ...page })
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
  if (cutAt === undefined && nextPage === undefined) {
    if (historyId === undefined) throw incompleteResponse('The history of Gmail has no end')
    return pageOf({ since: latest(since, historyId) }, { ...changes, complete: true })
  }
  // A page of the Gmail history without new records is not the end of the history, so the next page
  // token is stored (gauteh/lieer issues 22, 24).
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
      check: assertMessageIds,
      signal,
    })
  } catch (error) {
    if (cursor.page !== undefined && isMailApiError(error, 'refused'))
      return requestHistory(requests, { cursor: { since: cursor.since }, limit }, signal)
    throw asStale(error)
  }
}

/**
 * Replaces the error of a history request by a stale cursor if Gmail no longer has the history, or
 * if one of its records is damaged in four responses in a row. The caller then lists all messages
 * (full round) to find the changes. Gmail keeps the history for a week, sometimes only for hours.
 */
function asStale(error: unknown): unknown {
  if (!isMailApiError(error)) return error
  const isExpired = error.failure === 'message-missing' || error.failure === 'refused'
  return isExpired || error.incomplete ? staleCursor(error) : error
}

function staleCursor(cause?: unknown): MailApiError {
  return new MailApiError('stale-cursor', 'The history since the cursor is no longer available.', {
    warning: 'historyIdExpired',
    incomplete: isMailApiError(cause) && cause.incomplete,
    cause,
  })
}

/** The larger of two Gmail history ids: the position in the Gmail history never moves back. */
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

/**
 * Reads a cursor (position in the changes of a Gmail mailbox), as written by `pageOf`. A cursor has
 * at most 16,384 characters, of which a page token takes at most 8,192.
 */
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
