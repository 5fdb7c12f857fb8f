import { isDeepStrictEqual } from 'node:util'
import type { TenantMember } from '@posthorn/db'
import { maskUrl } from '../http/masks.ts'
import type { AccountColumns, LockedAccount } from '../store/accounts.ts'

/** Origin of a change: an operator, or the holder of a bound token or of a hosted form. */
export type ChangedBy = 'operator' | 'tenant'

type Stored = Pick<LockedAccount, TenantMember | 'tenantSet'>

const members = ['imap', 'smtp', 'webhooks', 'webhooksCustomHeaders'] as const

/**
 * Column `tenantSet` after a change: the members that a tenant has set. An operator who sets a
 * member takes it over. Values that a tenant sends back unchanged keep their origin.
 */
export function tenantMembers(
  by: ChangedBy,
  columns: AccountColumns,
  stored: Stored | undefined,
): Pick<AccountColumns, 'tenantSet'> {
  const before = stored?.tenantSet ?? []
  const after = members.filter((member) => {
    if (!(member in columns)) return before.includes(member)
    if (isSame(member, columns, stored)) return by === 'tenant' && before.includes(member)
    return by === 'tenant'
  })
  return isDeepStrictEqual(new Set(before), new Set(after)) ? {} : { tenantSet: after }
}

/** Compares what decides where Posthorn connects to, or what it sends there. */
function isSame(member: TenantMember, columns: AccountColumns, stored: Stored | undefined) {
  const column = columns[member] ?? null
  const value = stored?.[member] ?? null
  if (column === null || value === null) return column === value
  if (member === 'webhooks') return maskUrl(column as string) === maskUrl(value as string)
  const parsed = JSON.parse(column as string) as object
  return isDeepStrictEqual(destinationOf(member, parsed), destinationOf(member, value as object))
}

function destinationOf(member: TenantMember, value: object): object {
  if (member === 'webhooksCustomHeaders') return value
  const { host, port, secure = false, tls } = value as Record<string, unknown>
  return { host, port, secure, tls }
}
