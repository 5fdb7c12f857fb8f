import { AppError } from '@posthorn/errors'
import { rangeCovers } from './address-ranges.ts'
import { globCovers } from './referrers.ts'
import type { Token } from '../store/tokens.ts'

/** The part of a token that says what it may be used for. */
export type TokenReach = Omit<Token, 'id'>

/** @throws AppError `forbidden` `MintWidensRestrictions` when the new token could be used where its maker could not. */
export function assertNotWider(parent: TokenReach, child: TokenReach): void {
  if (widened(parent, child).length === 0) return
  throw new AppError(
    'forbidden',
    'The new token would be less restricted than the token creating it',
    {
      code: 'MintWidensRestrictions',
    },
  )
}

export type Dimension =
  | 'scopes'
  | 'account'
  | 'permissions'
  | 'addresses'
  | 'referrers'
  | 'rateLimit'
  | 'expires'

/** In which respects the child may do more than the parent. Not to name a restriction is to have none. */
export function widened(parent: TokenReach, child: TokenReach): Dimension[] {
  const wider: Record<Dimension, boolean> = {
    scopes: !scopesCover(parent.scopes, child.scopes),
    account: parent.account !== null && parent.account !== child.account,
    permissions: !permissionsCover(parent.permissions, child.permissions),
    addresses: !listCovers(
      parent.restrictions?.addresses,
      child.restrictions?.addresses,
      rangeCovers,
    ),
    referrers: !listCovers(
      parent.restrictions?.referrers,
      child.restrictions?.referrers,
      globCovers,
    ),
    rateLimit: !rateCovers(parent.restrictions?.rateLimit, child.restrictions?.rateLimit),
    expires: !expiryCovers(parent.expiresAt, child.expiresAt),
  }
  return (Object.keys(wider) as Dimension[]).filter((dimension) => wider[dimension])
}

/**
 * What a proxy login can do to a mailbox the API can do as well, and a token that is limited to less has a permissions record: so
 * `api` covers `imap-proxy` and `smtp`, and integrations can give mail clients their tokens. It does not cover `*`.
 */
function scopesCover(parent: readonly string[], child: readonly string[]): boolean {
  if (parent.includes('*')) return true
  return child.every((scope) => parent.includes(scope) || (parent.includes('api') && scope !== '*'))
}

function permissionsCover(
  parent: TokenReach['permissions'],
  child: TokenReach['permissions'],
): boolean {
  if (parent === null) return true
  if (child === null) return false
  return wordsCover(parent.actions, child.actions) && wordsCover(parent.groups, child.groups)
}

/** No list admits every word. */
function wordsCover(
  parent: readonly string[] | undefined,
  child: readonly string[] | undefined,
): boolean {
  if (parent === undefined) return true
  return child !== undefined && child.every((word) => parent.includes(word))
}

type List = readonly string[] | null | undefined

/** No list, and an empty one, let everybody in. */
function listCovers(
  parent: List,
  child: List,
  covers: (outer: string, inner: string) => boolean,
): boolean {
  if (!parent || parent.length === 0) return true
  if (!child || child.length === 0) return false
  return child.every((inner) => parent.some((outer) => covers(outer, inner)))
}

type Rate = { maxRequests: number; timeWindow: number } | null | undefined

/** Whether the child cannot make more requests within any window of its parent, even where its own windows meet. */
function rateCovers(parent: Rate, child: Rate): boolean {
  if (!parent) return true
  if (!child) return false
  return child.maxRequests * windowsWithin(parent, child) <= parent.maxRequests
}

/** How many windows of the child a window of the parent touches at most: all windows begin at multiples of their length. */
function windowsWithin(
  { timeWindow: outer }: { timeWindow: number },
  child: { timeWindow: number },
) {
  const shared = divisor(outer, child.timeWindow)
  return Math.ceil((outer - shared) / child.timeWindow) + 1
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}

function expiryCovers(parent: Date | null, child: Date | null): boolean {
  return parent === null || (child !== null && child.getTime() <= parent.getTime())
}
