import { AppError } from '@posthorn/errors'
import { fromBase64Url } from './bytes.ts'

/** Where a list goes on. */
export interface Cursor {
  /** Zero-based. */
  page: number
}

const prefix = 'imap_'
/** The same bound as the `page` parameter has. */
const maxPage = 1_048_576

/** A paging cursor. The prefix names the kind of account it belongs to. */
export function encodeCursor({ page }: Cursor): string {
  if (!isPage(page)) throw new RangeError(`page is a whole number from 0 to ${maxPage}`)
  return prefix + Buffer.from(JSON.stringify({ page })).toString('base64url')
}

/**
 * The page a cursor stands for.
 *
 * @throws AppError `invalid`: `InvalidCursorType` for one of another kind of account, `InvalidCursorValue` for one that cannot be read
 */
export function decodeCursor(cursor: string): Cursor {
  if (!cursor.startsWith(prefix)) {
    const foreign = /^[a-z]+_/.test(cursor)
    throw foreign
      ? failure('InvalidCursorType', 'The cursor is from another type of account')
      : failure('InvalidCursorValue', 'Invalid paging cursor')
  }
  const value = readJson(fromBase64Url(cursor.slice(prefix.length)))
  const page =
    value !== null && typeof value === 'object' && 'page' in value ? value.page : undefined
  // Compared as text: a cursor with anything beside the page is not one of ours.
  if (typeof page !== 'number' || !isPage(page) || encodeCursor({ page }) !== cursor)
    throw failure('InvalidCursorValue', 'Invalid paging cursor')
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

function failure(code: 'InvalidCursorType' | 'InvalidCursorValue', message: string): AppError {
  return new AppError('invalid', message, { code })
}
