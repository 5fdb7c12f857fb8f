import { AppError } from '@posthorn/errors'
import { fromBase64Url } from './bytes.ts'

/** Position in a paged list. */
export interface Cursor {
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
  const value = readJson(fromBase64Url(cursor.slice(prefix.length)))
  const page =
    value !== null && typeof value === 'object' && 'page' in value ? value.page : undefined
  // Rejects cursors with further members or another encoding.
  if (typeof page !== 'number' || !isPage(page) || encodeCursor({ page }) !== cursor)
    throw cursorError('InvalidCursorValue', 'Invalid paging cursor')
  return { page }
}

function readJson(bytes: Buffer | undefined): unknown {
  if (!bytes || bytes.length > 64) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function isPage(page: number): boolean {
  return Number.isInteger(page) && !Object.is(page, -0) && page >= 0 && page <= maxPage
}

function cursorError(code: 'InvalidCursorType' | 'InvalidCursorValue', message: string): AppError {
  return new AppError('invalid', message, { code })
}
