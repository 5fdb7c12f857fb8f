import { AppError } from '@posthorn/errors'
import { rangeCovers } from './address-ranges.ts'
import { globMatches } from './referrers.ts'
import type { Token } from '../store/tokens.ts'

/** Scopes, account, permissions, restrictions and expiry of a token. */
export type TokenReach = Omit<Token, 'id'>

/**
 * Checks that a new token is at most as powerful as the token that creates it.
 *
 * @throws AppError `forbidden` `MintWidensRestrictions`
 */
export function assertNotWider(parent: TokenReach, child: TokenReach): void {
  if (widened(parent, child).length === 0) return
  const message = 'The new token would be less restricted than the token creating it'
  throw new AppError('forbidden', message, { code: 'MintWidensRestrictions' })
}

/** Returns the dimensions in which the child exceeds the parent. Absent means unrestricted. */
export function widened(parent: TokenReach, child: TokenReach) {
  const outer = parent.restrictions ?? {}
  const inner = child.restrictions ?? {}
  const wider = {
    scopes: !scopesCover(parent.scopes, child.scopes),
    account: parent.account !== null && parent.account !== child.account,
    permissions: !permissionsCover(parent.permissions, child.permissions),
    addresses: !listCovers(outer.addresses, inner.addresses, rangeCovers),
    // A `*` of the child pattern, taken as a character, is matched only by a `*` of the parent
    // pattern. The parent's `*` also matches all expansions of the child's `*`.
    referrers: !listCovers(outer.referrers, inner.referrers, globMatches),
    rateLimit: !rateCovers(outer.rateLimit, inner.rateLimit),
    expires: !expiryCovers(parent.expiresAt, child.expiresAt),
  }
  const dimensions = Object.keys(wider) as (keyof typeof wider)[]
  return dimensions.filter((dimension) => wider[dimension])
}

/**
 * `api` covers `imap-proxy` and `smtp`, because the API can do what a proxy login can, and limited
 * tokens have a permissions record. Integrations can therefore create tokens for mail clients.
 * `api` does not cover `*`.
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

/** An absent list admits every word. */
function wordsCover(
  parent: readonly string[] | undefined,
  child: readonly string[] | undefined,
): boolean {
  if (parent === undefined) return true
  return child !== undefined && child.every((word) => parent.includes(word))
}

type List = readonly string[] | null | undefined

/** An absent or empty list admits everything. */
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

/** True if the child cannot exceed the parent's limit within any window of the parent. */
function rateCovers(parent: Rate, child: Rate): boolean {
  if (!parent) return true
  if (!child) return false
  const windows = windowsWithin(parent.timeWindow, child.timeWindow)
  return child.maxRequests * windows <= parent.maxRequests
}

/** Maximum number of child windows that overlap one parent window. Windows start at multiples. */
function windowsWithin(outer: number, inner: number): number {
  return Math.ceil((outer - divisor(outer, inner)) / inner) + 1
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}

function expiryCovers(parent: Date | null, child: Date | null): boolean {
  return parent === null || (child !== null && child.getTime() <= parent.getTime())
}
