import type { LockedAccount } from '../store/accounts.ts'
import { type ColumnChange, parseColumn } from './stored-login.ts'

type HeadersColumn = Pick<LockedAccount, 'webhooksCustomHeaders'>

/**
 * How many headers of a change are stored headers, which a caller keeps by their mask: `all`,
 * `some` beside new headers, or `none`. `absent`: the change contains no headers.
 */
export function keptHeaders(
  { webhooksCustomHeaders: column }: ColumnChange<HeadersColumn>,
  before: HeadersColumn | undefined,
): 'absent' | 'all' | 'some' | 'none' {
  if (column === undefined) return 'absent'
  const stored = before?.webhooksCustomHeaders ?? []
  const headers = parseColumn(column, stored) ?? []
  const isStored = ({ key, value }: (typeof headers)[number]) =>
    stored.some((header) => header.key === key && header.value === value)
  if (headers.length > 0 && headers.every(isStored)) return 'all'
  const hasStoredValue = headers.some(
    ({ value }) => value !== '' && stored.some((header) => header.value === value),
  )
  return hasStoredValue ? 'some' : 'none'
}
