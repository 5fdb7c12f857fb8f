import { AppError } from '@posthorn/errors'
import { fromBase64Url } from './message-id.ts'

/** Position in a list of messages of an IMAP account that is returned in pages. */
interface Cursor {
  /** Number of the page in a message list of an IMAP account. The first page is 0. */
  page: number
}

const prefix = 'imap_'
/**
 * Maximum page number in a paging cursor, equal to the maximum of the parameter `page` of the API.
 */
const maxPage = 1_048_576

/**
 * Encodes a paging cursor of a message list. The prefix names the kind of account to which the
 * cursor belongs.
 */
export function encodeCursor({ page }: Cursor): string {
  if (!isPage(page)) throw new RangeError(`page must be an integer from 0 to ${maxPage}`)
  return prefix + Buffer.from(JSON.stringify({ page })).toString('base64url')
}

/**
 * Decodes a paging cursor.
 *
 * @throws AppError `invalid` with `InvalidCursorType` for a cursor of another kind of account, with
 * `InvalidCursorValue` for any other invalid cursor
 */
export function decodeCursor(cursor: string): Cursor {
  if (!cursor.startsWith(prefix))
    throw cursorError(hasKind(cursor) ? 'InvalidCursorType' : 'InvalidCursorValue')
  const json = fromBase64Url(cursor.slice(prefix.length))?.toString('latin1') ?? ''
  // Only the exact JSON text that `encodeCursor` produces is accepted as a paging cursor.
  const [, digits] = /^\{"page":(0|[1-9]\d{0,6})\}$/.exec(json) ?? []
  const page = Number(digits)
  if (!isPage(page)) throw cursorError('InvalidCursorValue')
  return { page }
}

/** True if a number from a paging cursor is valid as the number of a page in a list. */
export function isPage(page: number): boolean {
  return Number.isInteger(page) && !Object.is(page, -0) && page >= 0 && page <= maxPage
}

/** True if a text begins with the prefix of a paging cursor, for any kind of account. */
export function hasKind(cursor: string): boolean {
  return /^[a-z]+_/.test(cursor)
}

const texts = {
  InvalidCursorType: 'The cursor is from another type of account',
  InvalidCursorValue: 'Invalid paging cursor',
}

/** Creates the error for a paging cursor that cannot be used. */
export function cursorError(code: keyof typeof texts): AppError {
  return new AppError('invalid', texts[code], { code })
}
