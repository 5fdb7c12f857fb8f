import { createHash } from 'node:crypto'
import { AppError } from '@posthorn/errors'
import { cursorError, hasKind, isPage } from './cursor.ts'
import { fromBase64Url } from './message-id.ts'

/** List of messages at a mail API for which paging cursors are created. */
export interface ApiList {
  /** Prefix of the paging cursors of a message list. The prefix names the mail system. */
  kind: string
  /**
   * Account, folder and search terms of a message list at a mail API. The order of the members has
   * no influence.
   */
  query: unknown
}

/**
 * Position of a page in a message list at a mail provider. Mail providers number no pages, so page
 * tokens are needed.
 */
export interface ApiPagePosition {
  /** Number of the page in a message list of a mail API. The first page is 0. */
  page: number
  /**
   * Page tokens from the mail provider for a position in a message list. The last token belongs to
   * the page at the position, and the tokens before it to the previous pages. Empty for the first
   * page. If there are many tokens, the first tokens are left out.
   */
  tokens: readonly string[]
}

/**
 * Maximum number of bytes for the page tokens in a paging cursor: one token of 8,192 characters. A
 * request with such a cursor in its URL fits into the 16 KiB that HTTP servers accept.
 */
const maxTokenBytes = 8_195
const maxCursorLength = 12_000

/**
 * Returns the position of the requested page in a message list at a mail API. If a cursor is given,
 * the page number is ignored.
 *
 * @throws AppError `invalid` with `InvalidCursorType` for a cursor of another kind of account, with
 * `InvalidCursorValue` for another invalid cursor and for a cursor of another list, and with
 * `InvalidInput` for a page number other than 0 without a cursor
 */
export function requestedApiPage(
  { page, cursor }: { page: number; cursor?: string },
  list: ApiList,
): ApiPagePosition {
  if (cursor !== undefined) return decodeApiCursor(cursor, list)
  if (page === 0) return { page, tokens: [] }
  throw new AppError('invalid', 'The account has no numbered pages, use a cursor', {
    code: 'InvalidInput',
  })
}

/**
 * Paging cursors for the next page and the previous page of a message list. Null if the page does
 * not exist.
 */
export function apiPageCursors(
  { page, tokens }: ApiPagePosition,
  list: ApiList,
  nextPageToken: string | undefined,
): { nextPageCursor: string | null; prevPageCursor: string | null } {
  const isBackPossible = page === 1 || tokens.length > 1
  const next = nextPageToken !== undefined && { page: page + 1, tokens: [...tokens, nextPageToken] }
  const previous = isBackPossible && { page: page - 1, tokens: tokens.slice(0, -1) }
  return {
    nextPageCursor: next ? encodeApiCursor(next, list) : null,
    prevPageCursor: previous ? encodeApiCursor(previous, list) : null,
  }
}

/**
 * Encodes a paging cursor of a message list. The cursor contains a digest of the account, folder
 * and search terms of the list, because page tokens are only valid for this list.
 */
function encodeApiCursor({ page, tokens }: ApiPagePosition, { kind, query }: ApiList): string {
  const json = JSON.stringify([digestOf(query), page, ...takeLast(tokens)])
  return `${kind}_${Buffer.from(json).toString('base64url')}`
}

function decodeApiCursor(cursor: string, list: ApiList): ApiPagePosition {
  const prefix = `${list.kind}_`
  if (!cursor.startsWith(prefix))
    throw cursorError(hasKind(cursor) ? 'InvalidCursorType' : 'InvalidCursorValue')
  const position =
    cursor.length <= maxCursorLength ? readPosition(cursor.slice(prefix.length)) : undefined
  // The position that was decoded from a paging cursor is encoded again and must give the same
  // cursor. This comparison also verifies the digest of the account, folder and search terms.
  if (!position || encodeApiCursor(position, list) !== cursor)
    throw cursorError('InvalidCursorValue')
  return position
}

function readPosition(text: string): ApiPagePosition | undefined {
  const value = parseJson(fromBase64Url(text)?.toString() ?? '')
  if (!Array.isArray(value)) return undefined
  const [, page, ...tokens] = value as unknown[]
  if (typeof page !== 'number' || !isPage(page) || !tokens.every(isToken)) return undefined
  return tokens.length <= page && (tokens.length > 0 || page === 0) ? { page, tokens } : undefined
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the last page tokens of a position in a message list, as many as fit into a paging
 * cursor.
 */
function takeLast(tokens: readonly string[]): readonly string[] {
  let bytes = 0
  const excess = tokens.findLastIndex((token) => {
    bytes += Buffer.byteLength(JSON.stringify(token)) + 1
    return bytes > maxTokenBytes
  })
  if (tokens.length > 0 && excess === tokens.length - 1)
    throw new RangeError('page token of more than 8,192 characters')
  return tokens.slice(excess + 1)
}

function digestOf(query: unknown): string {
  const json = JSON.stringify(query, (_name, value: unknown) => sorted(value)) ?? ''
  return createHash('sha256').update(json).digest('base64url').slice(0, 16)
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
