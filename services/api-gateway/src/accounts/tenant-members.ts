import { isDeepStrictEqual } from 'node:util'
import type { TenantMember, TenantSet } from '@posthorn/db'
import type { AccountColumns, LockedAccount } from '../store/accounts/accounts.ts'
import { type ColumnChange, parseColumn } from './stored-login.ts'

/** Origin of an account's change: an operator, or a tenant with a bound token or hosted form. */
export type ChangedBy = 'operator' | 'tenant'

type Stored = Pick<LockedAccount, TenantMember | 'tenantSet'>

const servers = ['imap', 'smtp'] as const

/**
 * Account column `tenantSet` after a change: the account members that a tenant has set. A member
 * that an operator sets becomes the operator's. Values that a tenant sends back unchanged keep
 * their origin, and so do masked headers that an operator sends back, and a webhook target together
 * with the headers of a tenant.
 */
export function tenantMembers(
  by: ChangedBy,
  columns: AccountColumns,
  stored: Stored | undefined,
): Pick<AccountColumns, 'tenantSet'> {
  const before = stored?.tenantSet ?? []
  const after = originsAfter(by, columns, stored)
  return isDeepStrictEqual(new Set(before), new Set(after)) ? {} : { tenantSet: after }
}

/**
 * Complete value of the account column `tenantSet` (account members that a tenant has set) after a
 * change.
 */
export function originsAfter(
  by: ChangedBy,
  columns: AccountColumns,
  stored: Stored | undefined,
): TenantSet[] {
  const before = stored?.tenantSet ?? []
  const after: TenantSet[] = servers.filter((member) => {
    if (!(member in columns)) return before.includes(member)
    const isKept = isSameServer(columns[member], stored?.[member])
    return by === 'tenant' && (!isKept || before.includes(member))
  })
  const headers = headersAfter(by, columns, stored)
  if (isTargetOfTenant(by, columns, { stored, headers })) after.push('webhooks')
  return [...after, ...headers]
}

/**
 * Entries about webhook headers in the account column `tenantSet` (account members that a tenant
 * has set), after a change.
 */
function headersAfter(
  by: ChangedBy,
  columns: AccountColumns,
  stored: Stored | undefined,
): TenantSet[] {
  const kept = keptHeaders(columns, stored)
  if (kept === 'absent' || kept === 'all') return (stored?.tenantSet ?? []).filter(isOfHeaders)
  return by === 'tenant' ? ['webhooksCustomHeaders'] : []
}

/**
 * Origin of an account's stored webhook headers; unknown for headers that are older than the column
 * `tenantSet`.
 */
export function originOfHeaders(tenantSet: readonly TenantSet[]): ChangedBy | 'unknown' {
  if (tenantSet.includes('unknownHeaders')) return 'unknown'
  return tenantSet.includes('webhooksCustomHeaders') ? 'tenant' : 'operator'
}

function isOfHeaders(member: TenantSet): boolean {
  return member === 'webhooksCustomHeaders' || member === 'unknownHeaders'
}

/**
 * True if the webhook target of an account counts as set by a tenant after a change. If an operator
 * repeats the URL that a tenant has set, the target counts as the operator's. Exception: headers of
 * the tenant remain, which the account's own target would otherwise no longer receive.
 */
function isTargetOfTenant(
  by: ChangedBy,
  columns: AccountColumns,
  { stored, headers }: { stored: Stored | undefined; headers: readonly TenantSet[] },
): boolean {
  const wasTenants = stored?.tenantSet.includes('webhooks') ?? false
  if (columns.webhooks === undefined) return wasTenants
  // Compares the texts of the new and the stored webhook URL of an account. If the caller kept the
  // login in the URL, the login has its stored form; a new login is in plaintext.
  if (columns.webhooks !== (stored?.webhooks ?? null)) return by === 'tenant'
  return wasTenants && (by === 'tenant' || headers.includes('webhooksCustomHeaders'))
}

/**
 * Compares a new mail server of an account with its stored mail server, by the parts that decide
 * where Posthorn connects to.
 */
function isSameServer(column: unknown, stored: object | null | undefined): boolean {
  if (typeof column !== 'string' || !stored) return (column ?? null) === (stored ?? null)
  return isDeepStrictEqual(destinationOf(JSON.parse(column) as object), destinationOf(stored))
}

function destinationOf(value: object): object {
  const { host, port, secure = false, tls } = value as Record<string, unknown>
  return { host, port, secure, tls }
}

type RepeatedMember = 'webhooks' | 'webhooksCustomHeaders'

/**
 * Account members in which a change repeats a stored value that the other party (operator or
 * tenant) has set. A request that waits for consent must not contain these values: the account may
 * have other values at the consent, and the repeated values would then count as new.
 */
export function repeatedMembers(
  by: ChangedBy,
  columns: AccountColumns,
  stored: Stored | undefined,
): RepeatedMember[] {
  if (!stored) return []
  const isHeaders =
    keptHeaders(columns, stored) === 'all' && originOfHeaders(stored.tenantSet) !== by
  const { webhooks } = columns
  const isTarget =
    by === 'tenant' &&
    Boolean(webhooks) &&
    webhooks === stored.webhooks &&
    !stored.tenantSet.includes('webhooks')
  return [
    ...(isHeaders ? (['webhooksCustomHeaders'] as const) : []),
    ...(isTarget ? (['webhooks'] as const) : []),
  ]
}

type HeadersColumn = Pick<LockedAccount, 'webhooksCustomHeaders'>

/**
 * Tells which stored webhook headers a change keeps by their mask: `all`, `some` (beside new
 * headers) or `none`. `absent`: the change contains no headers.
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
