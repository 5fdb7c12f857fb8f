import { AppError } from '@posthorn/errors'
import { fromBase64Url } from './message-id.ts'

/** Position in a paged list. */
interface Cursor {
  /** Zero-based. */
  page: number
}

const prefix = 'imap_'
/** Equal to the maximum of the `page` parameter. */
const maxPage = 1_048_576

/** Encodes a paging cursor. The prefix names the kind of account it belongs to. */
export function encodeCursor({ page }: Cursor): string {
  if (!isPage(page)) throw new RangeError(`page must be an integer from 0 to ${maxPage}`)
  return prefix + Buffer.from(JSON.stringify({ page })).toString('base64url')
}

/**
 * Decodes a paging cursor.
 *
 * @throws AppError `invalid` with `InvalidCursorType` for a cursor of another kind of account, else
 * with `InvalidCursorValue`
 */
export function decodeCursor(cursor: string): Cursor {
  if (!cursor.startsWith(prefix)) {
    const foreign = /^[a-z]+_/.test(cursor)
    throw foreign
      ? cursorError('InvalidCursorType', 'The cursor is from another type of account')
      : cursorError('InvalidCursorValue', 'Invalid paging cursor')
  }
  const json = fromBase64Url(cursor.slice(prefix.length))?.toString('latin1') ?? ''
  // Rejects cursors with further members or another encoding.
  const [, digits] = /^\{"page":(0|[1-9]\d{0,6})\}$/.exec(json) ?? []
  const page = Number(digits)
  if (!isPage(page)) throw cursorError('InvalidCursorValue', 'Invalid paging cursor')
  return { page }
}

function isPage(page: number): boolean {
  return Number.isInteger(page) && !Object.is(page, -0) && page >= 0 && page <= maxPage
}

function cursorError(code: 'InvalidCursorType' | 'InvalidCursorValue', message: string): AppError {
  return new AppError('invalid', message, { code })
}
