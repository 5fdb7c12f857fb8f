import { invalid } from './failures.ts'
import type { GmailState } from './gmail-state.ts'
import type { FakeMessage } from './mailbox.ts'

const defaultLimit = 100
const maxLimit = 500

/**
 * Page of a message list in the Gmail fake. The page token continues after the last message of the
 * page, even if other messages arrive.
 */
export function pageOf(
  gmail: GmailState,
  messages: Iterable<FakeMessage>,
  query: URLSearchParams,
): { entries: FakeMessage[]; nextPageToken?: string; resultSizeEstimate: number } {
  const limit = Math.min(Number(query.get('maxResults') ?? defaultLimit), maxLimit)
  const after = positionOf(gmail, query.get('pageToken'))
  const entries: FakeMessage[] = []
  let isMore = false
  for (const message of messages) {
    isMore = entries.length === limit
    if (isMore) break
    if (after === undefined || isAfter(message, after)) entries.push(message)
  }
  const last = entries.at(-1)
  if (!last || !isMore) return { entries, resultSizeEstimate: last ? 201 : 0 }
  const nextPageToken = `0${gmail.pageTokens.size + 1}7265093`
  gmail.pageTokens.set(nextPageToken, `${last.internalDate} ${last.order}`)
  return { entries, nextPageToken, resultSizeEstimate: 201 }
}

function positionOf(gmail: GmailState, token: string | null): [number, number] | undefined {
  if (token === null) return undefined
  const [date, order] = gmail.pageTokens.get(token)?.split(' ') ?? []
  if (date === undefined || order === undefined) throw invalid('Invalid pageToken')
  return [Number(date), Number(order)]
}

function isAfter({ internalDate, order }: FakeMessage, [date, number]: [number, number]): boolean {
  return internalDate < date || (internalDate === date && order < number)
}
