import type { Operation } from '@posthorn/contracts'
import { addressAllowed } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { globMatches } from './referrers.ts'
import type { Token } from './token.ts'

/** What a token is held against. */
export interface Visit {
  /** The account that is asked for, where the path, or for some operations the query, says so. */
  account: string | undefined
  address: string
  referrer: string | undefined
}

/** Lets a token through to an operation. The order is that of the spec's table: the first refusal is the one that is told. */
export function admit(operation: Operation, token: Token, visit: Visit): void {
  if (!hasScope(token, operation.scope))
    throw new AppError('forbidden', 'Unauthorized scope', {
      extras: { requestedScope: operation.scope },
    })
  if (!operation.permission.byKey && !permits(token, operation)) throw refusedPermission(operation)
  if (operation.boundBy !== 'handler') assertAccount(token, visit.account)
  const { addresses, referrers } = token.restrictions ?? {}
  if (!addressAllowed(addresses, visit.address))
    throw new AppError('forbidden', 'Unauthorized address', {
      extras: { remoteAddress: visit.address },
    })
  if (!referrerAllowed(referrers, visit.referrer))
    throw new AppError('forbidden', 'Unauthorized referrer')
}

/** Keeps a token that is bound to an account from all others, and from what is nobody's. */
export function assertAccount(
  token: Pick<Token, 'account'> | null,
  account: string | null | undefined,
): void {
  if (token && token.account !== null && token.account !== account)
    throw new AppError('forbidden', 'Unauthorized account')
}

/** `*` is the scope of operators; it cannot be asked for through the API. */
function hasScope({ scopes }: Token, scope: string): boolean {
  return scopes.includes(scope) || scopes.includes('*')
}

/**
 * Whether a token's permissions record admits the operation; a token without one may do everything. `admin` is never granted, and a
 * record that cannot be understood grants nothing.
 */
function permits({ permissions }: Token, { permission }: Pick<Operation, 'permission'>): boolean {
  if (permissions === null) return true
  const { actions, groups } = permissions
  if (permission.group === 'admin' || (actions === undefined && groups === undefined)) return false
  return listAdmits(actions, permission.action) && listAdmits(groups, permission.group)
}

function listAdmits(list: unknown, wanted: string): boolean {
  return list === undefined || (Array.isArray(list) && list.includes(wanted))
}

/**
 * For what some requests of an operation do beyond its own permission.
 *
 * @throws AppError `forbidden` for a token whose permissions record does not admit it
 */
export function assertPermitted(token: Token | null, permission: Operation['permission']): void {
  if (token && !permits(token, { permission })) throw refusedPermission({ permission })
}

export function refusedPermission({
  permission: { action, group },
}: Pick<Operation, 'permission'>): AppError {
  return new AppError('forbidden', 'Unauthorized permission', {
    extras: { requiredPermission: { action, group } },
  })
}

/** A request without a Referer passes only where any would. */
function referrerAllowed(
  patterns: readonly string[] | null | undefined,
  referrer: string | undefined,
): boolean {
  if (!patterns || patterns.length === 0) return true
  return patterns.some((pattern) =>
    referrer === undefined ? /^\*+$/.test(pattern) : globMatches(pattern, referrer),
  )
}
