import { AppError } from '@posthorn/errors'
import { rangeCovers } from './address-ranges.ts'
import { globMatches } from './referrers.ts'
import type { Token } from '../store/access/tokens.ts'

/** Scopes, account, permissions, restrictions and expiry of an access token. */
export type TokenReach = Omit<Token, 'id'>

/**
 * Checks that a new access token is at most as powerful as the token that creates it.
 *
 * @throws AppError `forbidden` `MintWidensRestrictions`
 */
export function assertNotWider(parent: TokenReach, child: TokenReach): void {
  if (widened(parent, child).length === 0) return
  const message = 'The new token would be less restricted than the token creating it'
  throw new AppError('forbidden', message, { code: 'MintWidensRestrictions' })
}

/**
 * Returns the dimensions, such as scopes or expiry, in which a new access token exceeds the token
 * that creates it. An absent restriction means unrestricted.
 */
export function widened(parent: TokenReach, child: TokenReach) {
  const outer = parent.restrictions ?? {}
  const inner = child.restrictions ?? {}
  const wider = {
    scopes: !scopesCover(parent.scopes, child.scopes),
    account: parent.account !== null && parent.account !== child.account,
    permissions: !permissionsCover(parent.permissions, child.permissions),
    addresses: !listCovers(outer.addresses, inner.addresses, rangeCovers),
    // In the Referer pattern of a new access token, `globMatches` takes a `*` as a plain character,
    // which only a `*` in the pattern of the creating token matches. A `*` of the creating token
    // also matches everything that a `*` of the new token can stand for.
    referrers: !listCovers(outer.referrers, inner.referrers, globMatches),
    rateLimit: !rateCovers(outer.rateLimit, inner.rateLimit),
    expires: !expiryCovers(parent.expiresAt, child.expiresAt),
  }
  const dimensions = Object.keys(wider) as (keyof typeof wider)[]
  return dimensions.filter((dimension) => wider[dimension])
}

/**
 * True if the scopes of an access token cover the scopes of a new token. `api` covers `imap-proxy`
 * and `smtp`, because the API can do what a proxy login can, and limited tokens have a permissions
 * record. Integrations can therefore create tokens for mail clients. `api` does not cover `*`.
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

/**
 * True if a token's list of actions or groups covers the list of a new token. An absent list admits
 * every action or group.
 */
function wordsCover(
  parent: readonly string[] | undefined,
  child: readonly string[] | undefined,
): boolean {
  if (parent === undefined) return true
  return child !== undefined && child.every((word) => parent.includes(word))
}

type List = readonly string[] | null | undefined

/**
 * True if a token's list of addresses or referrers covers the list of a new token. An absent or
 * empty list admits everything.
 */
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

/**
 * True if a new token cannot exceed its creator's rate limit within any time window of that limit.
 */
function rateCovers(parent: Rate, child: Rate): boolean {
  if (!parent) return true
  if (!child) return false
  const windows = windowsWithin(parent.timeWindow, child.timeWindow)
  return child.maxRequests * windows <= parent.maxRequests
}

/**
 * Maximum number of rate limit windows of a new token that overlap one window of the creating
 * token. Windows start at multiples of their length.
 */
function windowsWithin(outer: number, inner: number): number {
  return Math.ceil((outer - divisor(outer, inner)) / inner) + 1
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}

function expiryCovers(parent: Date | null, child: Date | null): boolean {
  return parent === null || (child !== null && child.getTime() <= parent.getTime())
}
