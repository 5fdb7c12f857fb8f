import type { Operation } from '@posthorn/contracts'
import { addressAllowed, hasScope, permits } from '@posthorn/access'
import { AppError } from '@posthorn/errors'
import { globMatches } from './referrers.ts'
import type { Token } from '../store/tokens.ts'

/** What a token is held against. */
export interface AccessContext {
  /** The account that is asked for, where the path, or for some operations the query, says so. */
  account: string | undefined
  address: string
  referrer: string | undefined
}

/** Lets a token through to an operation. The order is that of the spec's table: the first refusal is the one that is told. */
export function authorize(operation: Operation, token: Token, visit: AccessContext): void {
  if (!hasScope(token, operation.scope))
    throw new AppError('forbidden', 'Unauthorized scope', {
      extras: { requestedScope: operation.scope },
    })
  if (!operation.permission.byKey && !permits(token.permissions, operation.permission))
    throw refusedPermission(operation)
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

/**
 * For what some requests of an operation do beyond its own permission.
 *
 * @throws AppError `forbidden` for a token whose permissions record does not admit it
 */
export function assertPermitted(token: Token | null, permission: Operation['permission']): void {
  if (token && !permits(token.permissions, permission)) throw refusedPermission({ permission })
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
