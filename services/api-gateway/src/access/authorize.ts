import type { Operation } from '@posthorn/contracts/define'
import { accountSource, hasScope, permits } from '@posthorn/contracts/token-rights'
import { addressAllowed } from '@posthorn/access'
import { AppError } from '@posthorn/errors'
import { globMatches } from './referrers.ts'
import type { Token } from '../store/access/tokens.ts'

/** Circumstances of an API request that an access token is checked against. */
export interface AccessContext {
  /** Account that the API request names in its path or, for some operations, in its query. */
  account: string | undefined
  address: string
  referrer: string | undefined
}

/**
 * Checks that an access token may call an API operation. The order of the checks decides which
 * error is reported.
 *
 * @throws AppError `forbidden`
 */
export function authorize(operation: Operation, token: Token, context: AccessContext): void {
  if (!hasScope(token, operation.scope))
    throw new AppError('forbidden', 'Unauthorized scope', {
      extras: { requestedScope: operation.scope },
    })
  if (!operation.permission.byKey && !permits(token.permissions, operation.permission))
    throw refusedPermission(operation)
  if (accountSource(operation) !== 'handler') assertAccount(token, context.account)
  const { addresses, referrers } = token.restrictions ?? {}
  if (!addressAllowed(addresses, context.address))
    throw new AppError('forbidden', 'Unauthorized address', {
      extras: { remoteAddress: context.address },
    })
  if (!referrerAllowed(referrers, context.referrer))
    throw new AppError('forbidden', 'Unauthorized referrer')
}

/**
 * Checks that an access token bound to an account is used for that account only.
 *
 * @throws AppError `forbidden` for another account, and for requests without an account
 */
export function assertAccount(
  token: Pick<Token, 'account'> | null,
  account: string | null | undefined,
): void {
  if (isBoundElsewhere(token, account)) throw new AppError('forbidden', 'Unauthorized account')
}

/** True for an access token that is bound to an account, but not to the account of the request. */
export function isBoundElsewhere(
  token: Pick<Token, 'account'> | null,
  account: string | null | undefined,
): boolean {
  return token !== null && token.account !== null && token.account !== account
}

/** True for an access token of an operator: scope `*`, no account and no permissions record. */
export function hasFullRights(token: Token | null): boolean {
  return token !== null && hasScope(token, '*') && token.account === null && !token.permissions
}

/**
 * True for an access token that is bound to an account or has a permissions record. The holder of
 * the token may choose mail servers, but does not read why a connection failed.
 */
export function isTenant(token: Pick<Token, 'account' | 'permissions'> | null): boolean {
  return token !== null && (token.account !== null || Boolean(token.permissions))
}

/**
 * Checks that an access token has a permission that some requests need in addition to the
 * permission of their operation.
 *
 * @throws AppError `forbidden` if the permissions record does not grant it
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

/**
 * True if an access token that is restricted to certain referrers admits the Referer header of a
 * request. A request without a Referer needs a pattern that matches everything.
 */
function referrerAllowed(
  patterns: readonly string[] | null | undefined,
  referrer: string | undefined,
): boolean {
  if (!patterns || patterns.length === 0) return true
  return patterns.some((pattern) =>
    referrer === undefined ? /^\*+$/.test(pattern) : globMatches(pattern, referrer),
  )
}
