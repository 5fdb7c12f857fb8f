import { hasScope, permitsProxy, type ProxyScope } from '@posthorn/contracts/token-rights'
import type { Db } from '@posthorn/db'
import { tokenIds } from '@posthorn/secrets'
import { addressAllowed } from './address-ranges.ts'
import { isExpired } from './is-expired.ts'
import { findTokenByValue, type TokenRow } from './store/tokens.ts'

/** Use of an access token by a mail client at a mail proxy. */
export interface ProxyTokenUse {
  scope: ProxyScope
  /** Account that the mail client names as its user name. */
  account: string
  /** IP address of the mail client. */
  address: string
}

export interface UsableToken {
  id: string
  expiresAt: Date | null
}

/**
 * Reason why the use of an access token is rejected. Clients learn only whether the reason is
 * `address`. The token log contains the exact reason.
 */
export type TokenRejection = 'unknown' | 'expired' | 'scope' | 'account' | 'permission' | 'address'

/**
 * Result of the lookup of an access token: a usable token, or the reason why the token is rejected.
 * `id` is absent if no such token exists.
 */
export type TokenLookup =
  | { id: string; token: UsableToken; refused?: never }
  | { id?: string; token?: never; refused: TokenRejection }

/**
 * Pattern of access token values. Generated tokens have 64 hex digits, tokens set by an operator up
 * to 256 characters.
 */
const tokenShape = /^[!-~]{32,256}$/

/**
 * Finds an access token by the hashes of its value and checks that a mail client may use the token
 * at a mail proxy. The lookup compares no secret. Does not check that the account exists.
 */
export async function findUsableToken(
  db: Db,
  value: string,
  use: ProxyTokenUse,
): Promise<TokenLookup> {
  if (!tokenShape.test(value)) return { refused: 'unknown' }
  const row = await findTokenByValue(db, tokenIds(value))
  if (!row) return { refused: 'unknown' }
  const { id, expiresAt } = row
  const refused = checkToken(row, use)
  return refused ? { id, refused } : { id, token: { id, expiresAt } }
}

/**
 * Returns the reason why an access token does not allow a login at a mail proxy, or undefined if
 * the token does. The client address is checked last, so that only the holder of a token that is
 * otherwise valid learns about the address restriction.
 */
export function checkToken(
  row: TokenRow,
  use: ProxyTokenUse,
  now: number = Date.now(),
): TokenRejection | undefined {
  if (isExpired(row, now)) return 'expired'
  if (!hasScope(row, use.scope)) return 'scope'
  if (row.account !== null && row.account !== use.account) return 'account'
  if (!permitsProxy(row.permissions, use.scope)) return 'permission'
  return addressAllowed(row.restrictions?.addresses, use.address) ? undefined : 'address'
}
